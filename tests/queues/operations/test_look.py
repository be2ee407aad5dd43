import pytest

from queues import limits
from queues.errors import Invalid, MessageNotFound
from queues.models import Message, QueueTally
from queues.operations import look
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.factories import NOW, after, dead_letter, in_flight_message, new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db


def found(queue, **filters):
    return [message.data for message in look.browse(queue, now=NOW, **filters)]


class TestCount:
    def test_it_counts_each_state(self):
        queue = new_queue(visibility_timeout=10)
        in_flight_message(queue)
        ready_message(queue)
        ready_message(queue, delay_seconds=60)
        counts = look.count(queue, NOW)
        assert (counts.total, counts.visible, counts.in_flight, counts.delayed) == (3, 1, 1, 1)
        assert counts.exact

    def test_it_counts_what_is_due_as_visible(self):
        queue = new_queue(visibility_timeout=10)
        in_flight_message(queue)
        ready_message(queue, delay_seconds=60)
        counts = look.count(queue, after(minutes=5))
        assert (counts.visible, counts.in_flight, counts.delayed) == (2, 0, 0)

    def test_it_tells_how_long_the_oldest_message_waits(self):
        queue = new_queue()
        ready_message(queue, "old but unimportant", priority=-5)
        ready_message(queue, "young and important", priority=5, now=after(seconds=50))
        assert look.count(queue, after(seconds=60)).oldest_age_seconds == 60

    def test_it_has_no_age_when_only_delayed_messages_wait(self):
        queue = new_queue()
        ready_message(queue, delay_seconds=60)
        assert look.count(queue, NOW).oldest_age_seconds is None

    def test_it_estimates_beyond_the_bound(self, monkeypatch):
        monkeypatch.setattr(look, "EXACT_COUNT", 10)
        queue = new_queue()
        send_many(queue, [NewMessage("x")] * 30)
        QueueTally.objects.append({queue.pk: {"live": 28}})
        counts = look.count(queue)
        assert (counts.total, counts.visible, counts.exact) == (28, 28, False)

    def test_it_adds_what_it_did_not_count_where_the_bound_was_reached(self, monkeypatch):
        monkeypatch.setattr(look, "EXACT_COUNT", 10)
        queue = new_queue(queue_size=100)
        send_many(queue, [NewMessage("x")] * 35, NOW)
        receive(queue, limit=30, now=NOW)
        counts = look.count(queue, NOW)
        assert (counts.total, counts.visible, counts.in_flight) == (35, 5, 30)

    def test_it_is_exact_in_total_for_a_bounded_queue_of_any_depth(self, monkeypatch):
        monkeypatch.setattr(look, "EXACT_COUNT", 10)
        queue = new_queue(queue_size=100)
        send_many(queue, [NewMessage("x")] * 30)
        assert look.count(queue).total == 30


class TestBrowse:
    def test_it_shows_every_message_without_receiving_it(self):
        queue = new_queue()
        in_flight_message(queue, "leased")
        ready_message(queue, "ready")
        assert found(queue) == ["leased", "ready"]
        assert list(Message.objects.order_by("id").values_list("delivery_count", flat=True)) == [1, 0]

    def test_it_narrows_by_state(self):
        queue = new_queue()
        in_flight_message(queue, "leased")
        ready_message(queue, "ready")
        ready_message(queue, "delayed", delay_seconds=60)
        assert found(queue, state="leased") == ["leased"]
        assert found(queue, state="delayed") == ["delayed"]
        assert found(queue, state="ready") == ["ready"]

    def test_it_narrows_by_group_text_and_attribute(self):
        queue = new_queue()
        ready_message(queue, "order 1", group_id="acme", attributes={"kind": "a"})
        ready_message(queue, "order 2", group_id="other", attributes={"kind": "b"})
        assert found(queue, group_id="acme") == ["order 1"]
        assert found(queue, q="der 2") == ["order 2"]
        assert found(queue, attribute=("kind", "b")) == ["order 2"]

    def test_it_finds_numbers_and_truth_values_by_how_they_are_written(self):
        queue = new_queue()
        ready_message(queue, "number", attributes={"n": 5})
        ready_message(queue, "text", attributes={"n": "5"})
        ready_message(queue, "truth", attributes={"n": True})
        assert found(queue, attribute=("n", "5")) == ["number", "text"]
        assert found(queue, attribute=("n", "true")) == ["truth"]

    def test_it_takes_search_text_literally(self):
        queue = new_queue()
        ready_message(queue, "100% sure_thing")
        ready_message(queue, "100 per cent sure thing")
        assert found(queue, q="100% sure_") == ["100% sure_thing"]

    def test_it_refuses_a_state_it_does_not_know(self):
        with pytest.raises(Invalid) as caught:
            look.browse(new_queue(), state="expired")
        assert caught.value.field == "state"


class TestFindMessage:
    def test_it_shows_a_message_as_a_consumer_would_find_it(self):
        queue = new_queue(visibility_timeout=10)
        message = look.find_message(queue, in_flight_message(queue).message_id)
        assert look.state_of(message, NOW) == "leased"
        assert look.state_of(message, after(seconds=10)) == "ready"

    def test_it_finds_none_of_another_queue(self):
        message_id = in_flight_message(new_queue()).message_id
        with pytest.raises(MessageNotFound):
            look.find_message(new_queue(), message_id)


def test_it_names_the_queues_whose_dead_letters_come_here():
    queue = new_queue(max_deliveries=1)
    dlq = dead_letter(queue)
    assert look.source_queues(reloaded(dlq)) == [queue]
    assert look.source_queues(queue) == []


def test_the_bound_is_the_documented_one():
    assert limits.EXACT_COUNT == 10_000
