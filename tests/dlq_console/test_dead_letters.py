"""The pages of a dead-letter queue, and what is done with the letters."""

import json

import pytest
from django.urls import reverse

from queues.models import Action, AuditEntry, DiscardedMessage, ErrorGroup, Message, Queue, RedriveTask
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import dead_letter, ready_message, reloaded

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>{{ 7|add:7 }}{% csrf_token %}\u202e'


def died(queue: Queue, data: str, error: str = "TimeoutError", message: str = "no answer") -> Message:
    """A message that a consumer gave back with an error, for the last time."""
    ready_message(queue, data)
    [delivery] = receive(queue)
    nack(queue, delivery.message_id, delivery.receipt_handle, error={"type": error, "message": message})
    return Message.objects.get(id=delivery.id)


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


def test_it_calls_a_guess_a_guess(viewer, queue):
    dlq = dead_letter(queue, '{"order": 1}')
    assert "a guess" in viewer.get(page("dlq", dlq)).text


def test_it_counts_the_groups_it_does_not_show(operator, dlq):
    ErrorGroup.objects.bulk_create(
        ErrorGroup(queue_id=dlq.pk, fingerprint=f"f{number}", title="t", count=2) for number in range(300)
    )
    text = operator.get(page("dlq", dlq)).text
    assert "Redrive 601" in text
    assert "The 200 largest groups are shown" in text


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


def test_ticked_letters_go_together_and_come_back_by_undo(operator, dlq, queue, letter):
    letters = [letter, died(queue, "two"), died(queue, "three")]
    ids = [each.public_id for each in letters[:2]]
    answer = operator.post(page("bulk", dlq), {"message_id": ids, "do": "requeue"}, follow=True)
    assert "Requeued 2 messages" in answer.text
    assert Message.objects.filter(queue_id=queue.pk).count() == 2
    assert RedriveTask.objects.get().moved == 2


def test_ticked_letters_can_be_discarded(operator, dlq, letter):
    operator.post(page("bulk", dlq), {"message_id": [letter.public_id], "do": "discard", "reason": "spam"})
    assert DiscardedMessage.objects.get().reason == "spam"
    assert actions() == [Action.MESSAGE_DISCARDED]


def test_nothing_ticked_changes_nothing(operator, dlq):
    assert "Tick some messages" in operator.post(page("bulk", dlq), {"do": "requeue"}, follow=True).text


def test_secret_fields_are_masked_until_revealed(operator, dlq, letter):
    address = page("message", dlq, letter.public_id)
    assert "s3cret" not in operator.get(address).text
    assert b"s3cret" not in operator.get(page("message-raw", dlq, letter.public_id)).content
    revealed = operator.post(page("message-reveal", dlq, letter.public_id))
    assert "s3cret" in revealed.text
    assert "no-store" in revealed["Cache-Control"]
    assert actions() == [Action.MESSAGE_REVEALED]


def test_an_edited_letter_is_sent_anew(operator, dlq, queue, letter):
    Queue.objects.filter(pk=queue.pk).update(allow_edit=True)
    address = page("edit", dlq, letter.public_id)
    refused = operator.post(address, {"data": '{"order": 43', "reason": "typo"})
    assert refused.status_code == 400
    assert "{&quot;order&quot;: 43" in refused.text
    operator.post(address, {"data": '{"order": 43}', "reason": "typo"})
    assert Message.objects.get(queue_id=queue.pk).data == '{"order": 43}'
    assert actions() == [Action.MESSAGE_EDITED]


def test_it_exports_what_matches(operator, dlq, queue):
    died(queue, '=HYPERLINK("evil")')
    answer = operator.post(page("export", dlq), {"format": "csv"})
    assert "'=HYPERLINK" in answer.getvalue().decode()
    lines = operator.post(page("export", dlq), {"q": "HYPERLINK"}).getvalue().splitlines()
    assert [json.loads(line)["data"] for line in lines] == ['=HYPERLINK("evil")']
    assert actions() == [Action.MESSAGES_EXPORTED] * 2


def test_two_messages_are_compared(viewer, dlq, queue, letter):
    other = died(queue, '{"order": 43}')
    answer = viewer.get(page("message-diff", dlq), {"a": letter.public_id, "b": other.public_id})
    assert "diff-add" in answer.text


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
    for address in (
        page("dlq", dlq),
        page("dead-letters", dlq) + "?q=%3Cscript%3E%22%3E",
        page("browse", dlq),
        page("message", dlq, letter.public_id),
        page("message-diff", dlq) + "?a=%3Cscript%3E",
    ):
        text = operator.get(address).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "\u202e" not in text
        assert "style=" not in text


@pytest.mark.parametrize("body", ["x" * 1_000_000, '{"a": "\\ud800"}', "[" * 50_000, ""])
def test_no_body_breaks_the_page(operator, queue, body):
    queue = reloaded(queue)
    Queue.objects.filter(pk=queue.pk).update(max_message_bytes=1_048_576)
    letter = died(reloaded(queue), body)
    dlq = reloaded(queue).dlq
    assert operator.get(page("message", dlq, letter.public_id)).status_code == 200
    assert operator.get(page("dead-letters", dlq)).status_code == 200
