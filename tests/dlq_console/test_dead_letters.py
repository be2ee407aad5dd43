"""The pages of a dead-letter queue, and what is done with the letters."""

import pytest
from django.urls import reverse

from dlq_console.views import dead_letters as views
from queues import limits
from queues.models import Action, AuditEntry, ErrorGroup, Message, Queue
from queues.operations import error_groups, search
from tests.dlq_console.letters import HOSTILE, assert_harmless, died
from tests.factories import dead_letter, new_queue, ready_message, reloaded


@pytest.fixture
def letter(queue: Queue) -> Message:
    return died(queue, '{"order": 42, "password": "s3cret"}')


@pytest.fixture
def dlq(queue: Queue, letter: Message) -> Queue:
    return reloaded(queue).dlq


def page(name: str, dlq: Queue, *more: str) -> str:
    return reverse(f"console:{name}", args=[dlq.public_id, *more])


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))


def test_it_opens_on_groups(viewer, dlq, queue):
    died(queue, "two")
    died(queue, "three", "ValueError", "no number")
    text = viewer.get(page("dlq", dlq)).text
    assert text.index("TimeoutError: no answer") < text.index("ValueError: no number")
    assert "2 messages" in text
    assert "Looking is harmless" in text


def test_each_group_has_samples_a_line_and_its_own_redrive(operator, dlq, queue, letter):
    letters = [letter, *(died(queue, f"body {number}") for number in range(3))]
    text = operator.get(page("dlq", dlq)).text
    assert [each.public_id in text for each in letters] == [False, True, True, True]
    assert '<polyline points="0.0,' in text
    assert "4 in 24 h" in text
    assert "Redrive 4 …" in text
    assert page("redrive-new", dlq) + "?q=fingerprint" in text


def test_it_says_how_many_are_in_groups_that_are_not_shown(viewer, dlq, queue, monkeypatch):
    died(queue, "two", "ValueError", "no number")
    died(queue, "three", "ValueError", "no number")
    monkeypatch.setattr(error_groups, "MOST_GROUPS", 1)
    text = viewer.get(page("dlq", dlq)).text
    assert "1 more dead letter is in smaller ones" in text
    assert "TimeoutError" not in text


@pytest.mark.parametrize("name", ["dlq", "dead-letters", "browse"])
def test_lists_mask_what_is_secret(owner, dlq, name):
    text = owner.get(page(name, dlq)).text
    assert "&quot;order&quot;: 42" in text
    assert "s3cret" not in text


@pytest.mark.parametrize("name", ["dlq", "dead-letters", "browse", "redrives", "trash"])
def test_every_list_can_renew_itself(viewer, dlq, name):
    text = viewer.get(page(name, dlq)).text
    assert "data-refresh-choice" in text
    assert "data-refresh>" in text


@pytest.mark.parametrize(("name", "most"), [("dlq", 12), ("dead-letters", 12), ("browse", 12)])
def test_lists_take_as_many_statements_for_many(owner, queue, dlq, name, most, django_assert_max_num_queries):
    for number in range(12):
        died(queue, f"body {number}", f"Error{number}")
    with django_assert_max_num_queries(most):
        owner.get(page(name, dlq))


def test_a_list_reads_the_beginnings_of_bodies_only(viewer, dlq, queue):
    [row] = viewer.get(page("dead-letters", dlq)).context["rows"]
    assert "data" in row["message"].get_deferred_fields()


class TestAllThatMatch:
    """The number on the way to the wizard: exact where that costs nothing, else counted up to a bound."""

    @pytest.fixture(autouse=True)
    def small_pages(self, monkeypatch, queue, dlq):
        for number in range(4):
            died(queue, f"body {number}")
        monkeypatch.setattr(search.find, "__kwdefaults__", {**search.find.__kwdefaults__, "size": 2})

    def matching(self, client, dlq, **query) -> str:
        return client.get(page("dead-letters", dlq), query).context["matching"]

    def test_without_a_filter_it_is_all_of_them(self, operator, dlq):
        assert self.matching(operator, dlq) == "5"
        assert "Select all 5 matching this filter …" in operator.get(page("dead-letters", dlq)).text

    def test_with_one_it_is_those(self, operator, dlq):
        assert self.matching(operator, dlq, q="body") == "4"

    def test_on_a_single_page_they_are_counted_there(self, operator, dlq):
        assert self.matching(operator, dlq, q="order") == "1"

    def test_there_may_be_more_than_are_counted(self, operator, dlq, monkeypatch):
        monkeypatch.setattr(views.limits, "EXACT_COUNT_OF_MANY", 3)
        monkeypatch.setattr(search.count, "__kwdefaults__", {**search.count.__kwdefaults__, "most": 3})
        assert self.matching(operator, dlq, q="body") == "3 or more"

    def test_nobody_waits_for_a_count(self, operator, dlq, monkeypatch):
        monkeypatch.setattr(search, "count", lambda *args, **kwargs: None)
        text = operator.get(page("dead-letters", dlq), {"q": "body"}).text
        assert "Select all  matching this filter …" in text

    def test_the_way_leads_to_the_wizard_with_the_filter(self, operator, dlq):
        text = operator.get(page("dead-letters", dlq), {"q": "error:Timeout body"}).text
        assert page("redrive-new", dlq) + "?q=error%3ATimeout%20body" in text


def test_it_calls_a_guess_a_guess(viewer, queue):
    dlq = dead_letter(queue, '{"order": 1}')
    assert "a guess" in viewer.get(page("dlq", dlq)).text


def test_it_counts_the_groups_it_does_not_show(operator, dlq):
    ErrorGroup.objects.bulk_create(
        ErrorGroup(queue_id=dlq.pk, fingerprint=f"f{number}", title="t", count=2) for number in range(300)
    )
    text = operator.get(page("dlq", dlq)).text
    assert "Redrive all 601" in text
    assert "201 more dead letters are in smaller ones" in text


def test_it_says_so_when_there_is_nothing(viewer, dlq):
    Message.objects.all().delete()
    ErrorGroup.objects.all().delete()
    assert "No dead letters" in viewer.get(page("dead-letters", dlq)).text


def test_it_finds_letters_by_search(viewer, dlq, queue):
    other = died(queue, '{"order": 43}')
    text = viewer.get(page("dead-letters", dlq), {"q": "data.order:43"}).text
    assert other.public_id in text
    assert text.count("<tr ") == 1


def test_it_names_what_it_does_not_understand(viewer, dlq):
    assert "no such qualifier" in viewer.get(page("dead-letters", dlq), {"q": "colour:red"}).text


def test_looking_changes_nothing(owner, dlq, letter):
    before = Message.objects.filter(id=letter.id).values().get()
    for name in ("dlq", "dead-letters", "browse"):
        assert owner.get(page(name, dlq)).status_code == 200
    assert owner.get(page("message", dlq, letter.public_id)).status_code == 200
    assert Message.objects.filter(id=letter.id).values().get() == before


def test_one_click_requeues_and_offers_undo(operator, dlq, queue, letter):
    back = page("dead-letters", dlq) + "?q=order"
    answer = operator.post(page("requeue", dlq, letter.public_id), {"next": back}, follow=True)
    assert answer.redirect_chain == [(back, 303)]
    assert "Requeued to orders" in answer.text
    assert Message.objects.get(id=letter.id).queue_id == queue.pk
    operator.post(page("undo-requeue", dlq, letter.public_id), {"next": back})
    assert Message.objects.get(id=letter.id).queue_id == dlq.pk
    assert actions() == [Action.MESSAGE_REQUEUED, Action.REQUEUE_UNDONE]


def test_with_htmx_the_row_goes_and_the_notice_comes(operator, dlq, letter):
    answer = operator.post(page("requeue", dlq, letter.public_id), headers={"HX-Request": "true"})
    assert "<tr" not in answer.text
    assert "Requeued to orders" in answer.text
    assert 'hx-swap-oob="innerHTML"' in answer.text


def test_it_returns_nobody_to_another_site(operator, dlq, letter):
    answer = operator.post(page("requeue", dlq, letter.public_id), {"next": "https://evil.example/"})
    assert answer.url == page("dead-letters", dlq)


def test_a_requeue_that_is_refused_says_why(operator, dlq, letter):
    operator.post(page("requeue", dlq, letter.public_id))
    answer = operator.post(page("requeue", dlq, letter.public_id), follow=True)
    assert "There is no such message" in answer.text
    assert actions() == [Action.MESSAGE_REQUEUED]


def test_what_there_is_to_say_waits_for_a_whole_page(operator, dlq, letter):
    operator.post(page("requeue", dlq, letter.public_id))
    renewed = operator.get(page("dead-letters", dlq), headers={"X-SimpleMQ-Refresh": "1"})
    assert "Requeued to orders" not in renewed.text
    assert "Requeued to orders" in operator.get(page("dead-letters", dlq)).text


def test_a_note_that_is_too_long_is_refused_kindly(operator, dlq, letter):
    note = {"fingerprint": letter.fingerprint, "note": "x" * (limits.GROUP_NOTE_LENGTH + 1)}
    answer = operator.post(page("group-note", dlq), note, follow=True)
    assert "The note was not saved. Must be at most 2000 characters long." in answer.text
    assert actions() == []


def test_a_note_of_no_group_is_not_found(operator, dlq):
    assert operator.post(page("group-note", dlq), {"fingerprint": "none", "note": "x"}).status_code == 404


def test_browsing_is_narrowed_by_state(viewer, queue):
    ready_message(queue, "waits")
    ready_message(queue, "comes later", delay_seconds=900)
    text = viewer.get(page("browse", queue), {"state": "delayed"}).text
    assert "comes later" in text
    assert "waits<" not in text


@pytest.mark.parametrize("name", ["dead-letters", "browse", "dlq"])
def test_an_empty_list_says_what_to_do_next(viewer, team, name):
    empty = new_queue(team)
    text = viewer.get(page(name, empty)).text
    assert 'class="empty"' in text
    assert "<a " in text.split('class="empty"')[1]


def test_a_note_is_kept_with_its_group(operator, dlq, letter):
    operator.post(page("group-note", dlq), {"fingerprint": letter.fingerprint, "note": "Known: see the wiki"})
    assert "Known: see the wiki" in operator.get(page("dlq", dlq)).text
    assert actions() == [Action.GROUP_NOTED]


POSTS = ["requeue", "undo-requeue", "discard", "edit", "message-reveal"]


@pytest.mark.parametrize("name", POSTS)
def test_a_viewer_is_refused(viewer, dlq, letter, name):
    assert viewer.post(page(name, dlq, letter.public_id)).status_code == 403
    assert actions() == []


def test_a_viewer_sees_no_action(viewer, dlq, letter):
    for address in (page("dlq", dlq), page("dead-letters", dlq), page("message", dlq, letter.public_id)):
        text = viewer.get(address).text
        assert "/requeue/" not in text
        assert "Discard" not in text
    for name in ("bulk", "export", "group-note"):
        assert viewer.post(page(name, dlq), {"do": "discard"}).status_code == 403


@pytest.mark.parametrize("name", ["dlq", "dead-letters", "browse", "message-diff"])
def test_to_a_stranger_it_does_not_exist(stranger, dlq, name):
    assert stranger.get(page(name, dlq)).status_code == 404


@pytest.mark.parametrize("name", ["message", "message-raw", *POSTS])
def test_to_a_stranger_its_messages_do_not_exist(stranger, dlq, letter, name):
    assert stranger.post(page(name, dlq, letter.public_id)).status_code in (404, 405)
    assert stranger.get(page(name, dlq, letter.public_id)).status_code in (404, 405)


def test_hostile_text_is_shown_as_text(operator, queue):
    letter = died(queue, HOSTILE, HOSTILE, HOSTILE)
    dlq = reloaded(queue).dlq
    Message.objects.filter(id=letter.id).update(group_id=HOSTILE, attributes={HOSTILE: HOSTILE})
    operator.post(
        page("group-note", dlq), {"fingerprint": letter.fingerprint, "note": HOSTILE.rstrip("\u202e")}
    )
    for address in (
        page("dlq", dlq),
        page("dead-letters", dlq) + "?q=%3Cscript%3Ealert(1)",
        page("dead-letters", dlq),
        page("browse", dlq),
        page("message", dlq, letter.public_id),
        page("message-diff", dlq) + "?a=%3Cscript%3Ealert(1)",
    ):
        assert_harmless(operator.get(address).text)


@pytest.mark.parametrize(
    "body",
    ["x" * 1_000_000, '{"a": "\\ud800"}', "[" * 50_000, "[" * 99 + "]" * 99, "[" * 700 + "]" * 700, ""],
)
def test_no_body_breaks_the_page(operator, queue, body):
    queue = reloaded(queue)
    Queue.objects.filter(pk=queue.pk).update(max_message_bytes=1_048_576)
    letter = died(reloaded(queue), body)
    dlq = reloaded(queue).dlq
    assert operator.get(page("message", dlq, letter.public_id)).status_code == 200
    assert operator.get(page("dead-letters", dlq)).status_code == 200
