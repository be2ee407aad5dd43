import pytest

from queues.errors import Invalid, MessageTooLarge, QueueFull
from queues.models import Message, QueueSlot
from queues.operations import queues
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send, send_batch, send_many
from queues.values import NewMessage, Refused, Stored
from tests.factories import NOW, after, data_of, in_flight_message, new_queue, ready_message, ready_messages

pytestmark = pytest.mark.django_db


def test_it_stores_the_message_for_the_next_consumer():
    queue = new_queue()
    message_id = send(queue, NewMessage("work"))
    [delivery] = receive(queue)
    assert (delivery.id, delivery.data) == (message_id, "work")


def test_it_keeps_the_order_of_a_batch():
    queue = new_queue()
    sent = send_many(queue, [NewMessage(str(number)) for number in range(200)])
    received = receive(queue, limit=200)
    assert [delivery.id for delivery in received] == sent
    assert data_of(received) == [str(number) for number in range(200)]


def test_it_delivers_the_highest_priority_first_then_the_oldest():
    queue = new_queue()
    for data, priority in [("low", -5), ("first normal", 0), ("second normal", 0), ("high", 9)]:
        ready_message(queue, data, priority=priority)
    assert data_of(receive(queue, limit=10, now=NOW)) == ["high", "first normal", "second normal", "low"]


def test_it_hides_a_delayed_message_until_its_time():
    queue = new_queue()
    ready_message(queue, "later", delay_seconds=60)
    assert receive(queue, now=after(seconds=59)) == []
    assert data_of(receive(queue, now=after(seconds=60))) == ["later"]


def test_it_uses_the_delay_of_the_queue_unless_the_message_has_its_own():
    queue = new_queue(delay_seconds=60)
    ready_message(queue, "queue's delay")
    ready_message(queue, "own delay", delay_seconds=0)
    assert data_of(receive(queue, limit=2, now=NOW)) == ["own delay"]


def test_it_keeps_the_attributes():
    queue = new_queue()
    attributes = {"tenant": "acme", "size": 3, "ratio": 0.5, "urgent": True, "raw": {"binary": "AAE="}}
    ready_message(queue, attributes=attributes)
    assert receive(queue, now=NOW)[0].attributes == attributes


def test_it_counts_data_and_attributes_in_bytes():
    queue = new_queue(max_message_bytes=1024)
    send(queue, NewMessage("é" * 510, attributes={"ab": "cd"}))
    with pytest.raises(MessageTooLarge, match="1025 bytes"):
        send(queue, NewMessage("é" * 510, attributes={"ab": "cde"}))


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (NewMessage("nul \x00"), "data"),
        (NewMessage("half a pair \ud800"), "data"),
        (NewMessage("x", priority=101), "priority"),
        (NewMessage("x", delay_seconds=-1), "delay_seconds"),
        (NewMessage("x", delay_seconds=345_600), "delay_seconds"),
        (NewMessage("x", delay_seconds=60, ttl_seconds=60), "delay_seconds"),
        (NewMessage("x", ttl_seconds=0), "ttl_seconds"),
        (NewMessage("x", max_deliveries=0), "max_deliveries"),
        (NewMessage("x", group_id=""), "group_id"),
        (NewMessage("x", group_id="g" * 129), "group_id"),
        (NewMessage("x", attributes={"": "no name"}), "attributes"),
        (NewMessage("x", attributes={"a": None}), "attributes"),
        (NewMessage("x", attributes={"a": float("nan")}), "attributes"),
        (NewMessage("x", attributes={"a": 2**63}), "attributes"),
        (NewMessage("x", attributes={"a": {"binary": "not base64!"}}), "attributes"),
        (NewMessage("x", attributes={f"a{n}": 1 for n in range(51)}), "attributes"),
    ],
)
def test_it_refuses_what_is_out_of_bounds_and_names_the_field(message, field):
    queue = new_queue()
    with pytest.raises(Invalid) as caught:
        send(queue, message)
    assert caught.value.field == field
    assert not Message.objects.exists()


def test_it_refuses_one_message_more_than_the_queue_holds():
    queue = new_queue(queue_size=3)
    ready_messages(queue, "1", "2", "3")
    with pytest.raises(QueueFull):
        send(queue, NewMessage("4"))
    assert Message.objects.count() == 3


def test_it_has_room_again_after_an_ack():
    queue = new_queue(queue_size=1)
    delivery = in_flight_message(queue)
    ack(queue, [delivery.receipt_handle])
    send(queue, NewMessage("next"))
    assert QueueSlot.objects.free(queue) == 0


def test_it_stores_the_first_of_a_batch_that_does_not_fit():
    queue = new_queue(queue_size=10)
    stored = send_many(queue, [NewMessage(str(number)) for number in range(25)])
    assert len(stored) == 10
    assert data_of(receive(queue, limit=25)) == [str(number) for number in range(10)]


def test_it_stores_nothing_of_a_batch_with_a_bad_message():
    queue = new_queue()
    with pytest.raises(Invalid):
        send_many(queue, [NewMessage("good"), NewMessage("bad", priority=1000)])
    assert not Message.objects.exists()


class TestBatch:
    def test_it_answers_each_entry_in_order_and_bad_ones_fail_alone(self):
        queue = new_queue()
        entries = [
            NewMessage("a"),
            Refused(Invalid("no data", field="data")),
            NewMessage("b", priority=999),
            NewMessage("c"),
        ]
        results = send_batch(queue, entries)
        assert [type(result) for result in results] == [Stored, Invalid, Invalid, Stored]
        assert data_of(receive(queue, limit=5)) == ["a", "c"]

    def test_it_fills_up_in_order_when_the_queue_is_nearly_full(self):
        queue = new_queue(queue_size=2)
        results = send_batch(queue, [NewMessage("x", priority=999), *[NewMessage(str(n)) for n in range(3)]])
        assert [type(result) for result in results] == [Invalid, Stored, Stored, QueueFull]
        assert data_of(receive(queue, limit=5)) == ["0", "1"]

    def test_it_stores_nothing_when_nothing_is_good(self):
        [result] = send_batch(new_queue(), [NewMessage("\x00")])
        assert isinstance(result, Invalid)

    @pytest.mark.parametrize("count", [0, 1001])
    def test_it_takes_1_to_1000_entries(self, count):
        with pytest.raises(Invalid) as caught:
            send_batch(new_queue(), [NewMessage("x")] * count)
        assert caught.value.field == "messages"


class TestAgeing:
    def test_it_lets_waiting_make_up_for_priority(self):
        queue = new_queue(priority_aging_seconds=60)
        ready_message(queue, "low, early", priority=0)
        ready_message(queue, "high, soon after", priority=1, now=after(seconds=59))
        ready_message(queue, "high, later", priority=1, now=after(seconds=61))
        received = receive(queue, limit=5, now=after(minutes=5))
        assert data_of(received) == ["high, soon after", "low, early", "high, later"]

    def test_it_delivers_what_waited_before_ageing_was_turned_on_first(self):
        queue = new_queue()
        ready_message(queue, "before", priority=-100)
        queue = queues.update(queue, priority_aging_seconds=60)
        ready_message(queue, "after", priority=100)
        assert data_of(receive(queue, limit=5, now=NOW)) == ["before", "after"]

    def test_it_does_not_forget_what_waited_before_ageing_was_turned_off(self):
        queue = new_queue(priority_aging_seconds=60)
        ready_message(queue, "before")
        queue = queues.update(queue, priority_aging_seconds=None)
        ready_message(queue, "after", now=after(seconds=1))
        ready_message(queue, "urgent", priority=1, now=after(days=1))
        assert data_of(receive(queue, limit=5, now=after(days=1))) == ["urgent", "before", "after"]
