"""Search everywhere: ids lead straight to their thing, words to queues and dead letters of one's teams."""

from typing import Any

import pytest
from django.urls import reverse

from queues import ids
from queues.errors import SearchTooSlow
from queues.models import Message, Queue
from queues.operations import everywhere, queues, redrive, trash
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage
from tests.dlq_console.letters import HOSTILE, assert_harmless, died
from tests.factories import new_queue, new_team, ready_message, reloaded

pytestmark = pytest.mark.django_db
PAGE = reverse("console:search")


@pytest.fixture
def letter(queue: Queue) -> Message:
    return died(queue, '{"order": 42, "password": "s3cret"}')


@pytest.fixture
def dlq(queue: Queue, letter: Message) -> Queue:
    return reloaded(queue).dlq


def address(name: str, *args: str) -> str:
    return reverse(f"console:{name}", args=args)


def finished(queue: Queue) -> str:
    """The id of a message that a consumer has finished."""
    uid = send(queue, NewMessage("done"))
    [delivery] = receive(queue)
    ack(queue, [delivery.receipt_handle])
    return ids.message_id(uid)


def page(client: Any, text: str) -> str:
    answer = client.get(PAGE, {"q": text})
    assert answer.status_code == 200
    return answer.text


class TestIds:
    def test_a_queue_is_opened(self, viewer, queue):
        answer = viewer.get(PAGE, {"q": f"  {queue.public_id} "})
        assert answer["Location"] == address("queue", queue.public_id)

    def test_a_message_is_opened_in_whichever_queue_it_is(self, viewer, queue, dlq, letter):
        answer = viewer.get(PAGE, {"q": letter.public_id})
        assert answer["Location"] == address("message", dlq.public_id, letter.public_id)
        ready_message(queue, "alive")
        live = Message.objects.get(queue_id=queue.pk)
        answer = viewer.get(PAGE, {"q": live.public_id})
        assert answer["Location"] == address("message", queue.public_id, live.public_id)

    def test_a_discarded_message_is_opened_in_the_trash(self, viewer, dlq, letter):
        trash.discard(dlq, [letter.public_id], by="oscar")
        answer = viewer.get(PAGE, {"q": letter.public_id})
        assert answer["Location"] == address("trash-message", dlq.public_id, letter.public_id)

    def test_a_redrive_is_opened(self, viewer, dlq):
        task = redrive.start(dlq)
        answer = viewer.get(PAGE, {"q": task.public_id})
        assert answer["Location"] == address("redrive", dlq.public_id, task.public_id)

    def test_of_a_finished_message_the_log_tells_what_became(self, viewer, queue):
        text = page(viewer, finished(queue))
        assert "The message is finished" in text
        assert ": acked <time" in text
        assert f'<a href="{address("queue", queue.public_id)}">orders</a>' in text

    def test_a_queue_that_is_gone_is_named_without_a_link(self, viewer, queue):
        message_id = finished(queue)
        queues.delete(queue)
        text = page(viewer, message_id)
        assert "in orders, which is deleted" in text
        assert address("queue", queue.public_id) not in text

    @pytest.mark.parametrize("prefix", ["msg", "q", "rd"])
    def test_what_does_not_exist_is_said(self, viewer, queue, prefix):
        assert "There is no such" in page(viewer, f"{prefix}_0000000000000000000000")

    def test_a_time_of_no_world_breaks_nothing(self, viewer, queue):
        assert "There is no such message" in page(viewer, "msg_7n42DGM5Tflk9n8mt7Fhc7")

    def test_a_log_that_is_too_long_is_said(self, viewer, queue, monkeypatch):
        def give_up(*args: Any) -> None:
            raise SearchTooSlow()

        monkeypatch.setattr(everywhere, "find_ending", give_up)
        assert "looking through the log took too long" in page(viewer, finished(queue))


class TestQueues:
    @pytest.mark.parametrize("words", ["ORDER", "warehouse", "checkout", "tier", "orders placed checkout"])
    def test_they_are_found_by_name_description_and_tags(self, viewer, team, words):
        new_queue(
            team, name="orders", description="Orders placed, to the warehouse", tags={"tier": "checkout"}
        )
        new_queue(team, name="invoices")
        text = page(viewer, words)
        assert ">orders</a>" in text
        assert ">invoices</a>" not in text

    def test_deleted_ones_are_not_found(self, viewer, queue):
        queues.delete(queue)
        assert "Nothing matches" in page(viewer, "orders")

    def test_no_more_are_shown_than_a_page_bears(self, viewer, team, monkeypatch):
        monkeypatch.setattr(everywhere, "MOST_QUEUES", 2)
        for number in range(3):
            new_queue(team, name=f"orders-{number}")
        text = page(viewer, "orders")
        assert text.count("data-row") == 2
        assert "?name=orders" in text

    def test_a_percent_sign_is_a_percent_sign(self, viewer, queue):
        assert "Nothing matches" in page(viewer, "%")


class TestLetters:
    def test_they_are_found_by_words_and_masked(self, viewer, dlq, letter):
        text = page(viewer, "order 42")
        assert letter.public_id in text
        assert "s3cret" not in text

    @pytest.mark.parametrize(
        "text", ["error:Timeout", "data.order:42", "source:orders", "redriven:0", "fingerprint:{print}"]
    )
    def test_they_are_found_by_the_qualifiers_of_a_queues_search(self, viewer, dlq, letter, text):
        text = text.format(print=f'"{letter.fingerprint}"')
        assert letter.public_id in page(viewer, text)

    @pytest.mark.parametrize("text", ["error:ValueError", "data.order:43", "source:invoices", "age:>9d"])
    def test_others_are_not(self, viewer, dlq, text):
        assert "Nothing matches" in page(viewer, text)

    def test_they_are_listed_by_queue_the_newest_first_with_a_way_to_all(self, viewer, queue, dlq):
        letters = [died(queue, f"body {number}") for number in range(everywhere.MOST_LETTERS + 1)]
        text = page(viewer, "error:Timeout")
        assert text.index(letters[5].public_id) < text.index(letters[4].public_id)
        assert letters[0].public_id not in text
        assert "More than 5: show all" in text
        assert address("dead-letters", dlq.public_id) + "?q=error%3ATimeout" in text

    def test_messages_that_are_alive_or_merely_sent_there_are_no_letters(self, viewer, queue, dlq):
        ready_message(queue, "needle")
        ready_message(dlq, "needle")
        assert "Nothing matches" in page(viewer, "needle")

    def test_a_qualifier_asks_for_messages_and_not_for_queues(self, viewer, queue, letter):
        assert ">orders</a>" not in page(viewer, "orders error:Timeout")

    def test_what_is_not_understood_is_named(self, viewer, queue):
        text = page(viewer, "colour:red")
        assert "There is no such qualifier" in text
        assert "Nothing matches" not in text

    def test_a_deep_queue_hides_nothing_of_the_others(self, viewer, team, queue, dlq, letter, monkeypatch):
        deep = new_queue(team, name="deep", max_deliveries=1)
        for number in range(3):
            died(deep, f"body {number}")
        monkeypatch.setattr(everywhere, "SHALLOW", 1)
        newest = everywhere._newest

        def slow(dlqs: Any, search: Any) -> Any:
            if dlqs[0].name == "deep-dlq":
                raise SearchTooSlow()
            return newest(dlqs, search)

        monkeypatch.setattr(everywhere, "_newest", slow)
        text = page(viewer, "error:Timeout")
        assert letter.public_id in text
        assert "There was no time for the deepest" in text
        assert address("dead-letters", reloaded(deep).dlq.public_id) + "?q=error%3ATimeout" in text

    def test_it_takes_as_many_statements_for_many_queues(self, viewer, team, django_assert_max_num_queries):
        for _ in range(12):
            died(new_queue(team, max_deliveries=1), "needle")
        with django_assert_max_num_queries(12):
            assert page(viewer, "needle").count("data-row") == 12


class TestStrangers:
    def test_nothing_of_others_is_found(self, stranger, queue, dlq, letter):
        assert "Nothing matches" in page(stranger, "order")
        assert "Nothing matches" in page(stranger, "error:Timeout")
        task = redrive.start(dlq)
        for each in (queue.public_id, letter.public_id, task.public_id):
            assert "There is no such" in page(stranger, each)

    def test_nothing_of_others_is_told_from_trash_and_log(self, stranger, queue, dlq, letter):
        trash.discard(dlq, [letter.public_id], by="oscar")
        for each in (letter.public_id, finished(queue)):
            text = page(stranger, each)
            assert "There is no such message" in text
            assert "orders" not in text

    def test_a_source_of_others_is_not_meant(self, viewer, queue, letter):
        """Another team has a queue of that name, and this team has none."""
        Queue.objects.filter(pk=queue.pk).update(name="renamed")
        new_queue(new_team(), name="orders")
        assert "Nothing matches" in page(viewer, "source:orders")


class TestPage:
    def test_without_words_it_says_what_can_be_found(self, viewer, team):
        assert "What are you looking for?" in page(viewer, "")

    def test_it_asks_people_to_sign_in(self, anybody):
        assert anybody.get(PAGE)["Location"].startswith("/accounts/login/")

    def test_the_header_leads_here(self, viewer, team):
        assert f'action="{PAGE}"' in viewer.get(reverse("console:overview")).text

    @pytest.mark.parametrize("text", ["\x00", "x" * 5_000, '"' * 9, "data.a.b.c:1", "id:nonsense", "%_\\"])
    def test_no_words_break_it(self, viewer, dlq, text):
        assert viewer.get(PAGE, {"q": text}).status_code == 200

    def test_hostile_text_is_shown_as_text(self, viewer, queue):
        description = f"{HOSTILE} needle"
        Queue.objects.filter(pk=queue.pk).update(description=description, tags={HOSTILE: HOSTILE})
        died(queue, f"{HOSTILE} needle", HOSTILE, HOSTILE)
        Queue.objects.filter(is_dlq=True).update(name=HOSTILE[:60])
        assert_harmless(page(viewer, "needle"))
        assert_harmless(page(viewer, HOSTILE.rstrip("\u202e")))

    def test_looking_changes_nothing(self, viewer, dlq, letter):
        before = Message.objects.values().get()
        page(viewer, "order")
        viewer.get(PAGE, {"q": letter.public_id}, follow=True)
        assert Message.objects.values().get() == before
