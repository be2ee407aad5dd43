import pytest

from queues import ids
from queues.errors import InvalidReceipt, MessageNotFound, ReceiptStale
from queues.models import Message, MessageLog
from queues.operations.ack import ack, ack_by_id
from queues.operations.receive import receive
from tests.factories import NOW, after, in_flight_message, new_queue, ready_message

pytestmark = pytest.mark.django_db


def errors_of(results):
    return [type(result.error) if result.error else None for result in results]


def test_it_finishes_the_message():
    queue = new_queue()
    delivery = in_flight_message(queue)
    assert errors_of(ack(queue, [delivery.receipt_handle])) == [None]
    assert not Message.objects.exists()


def test_it_writes_the_stay_into_the_log():
    queue = new_queue()
    delivery = in_flight_message(queue, data="12345", group_id="acme", priority=7)
    ack(queue, [delivery.receipt_handle], now=after(seconds=9))
    row = MessageLog.objects.get()
    assert (row.message_id, row.queue_id, row.team_id) == (delivery.id, queue.pk, queue.team_id)
    assert (row.enqueued_at, row.first_delivered_at, row.last_delivered_at) == (NOW, NOW, NOW)
    assert (row.finished_at, row.outcome, row.delivery_count) == (after(seconds=9), "acked", 1)
    assert (row.size_bytes, row.group_id, row.priority) == (5, "acme", 7)


def test_it_answers_each_handle_in_order():
    queue = new_queue(visibility_timeout=10)
    stale = in_flight_message(queue, "received again")
    [fresh] = receive(queue, now=after(seconds=10))
    gone = in_flight_message(queue, "gone", now=after(seconds=11))
    ack(queue, [gone.receipt_handle])
    handles = [stale.receipt_handle, "garbage", gone.receipt_handle, fresh.receipt_handle]
    assert errors_of(ack(queue, handles)) == [ReceiptStale, InvalidReceipt, MessageNotFound, None]


def test_it_takes_the_same_handle_twice_in_one_call_as_one():
    queue = new_queue()
    handle = in_flight_message(queue).receipt_handle
    assert errors_of(ack(queue, [handle, handle])) == [None, None]
    assert MessageLog.objects.count() == 1


def test_it_accepts_the_latest_handle_after_its_lease_ran_out():
    queue = new_queue(visibility_timeout=10)
    delivery = in_flight_message(queue)
    assert errors_of(ack(queue, [delivery.receipt_handle], now=after(hours=1))) == [None]


def test_it_changes_nothing_for_a_stale_handle():
    queue = new_queue(visibility_timeout=10)
    stale = in_flight_message(queue)
    receive(queue, now=after(seconds=10))
    ack(queue, [stale.receipt_handle])
    assert Message.objects.count() == 1


def test_it_finds_no_message_of_another_queue():
    handle = in_flight_message(new_queue()).receipt_handle
    assert errors_of(ack(new_queue(), [handle])) == [MessageNotFound]
    assert Message.objects.count() == 1


def test_it_acks_by_id_whoever_holds_the_message():
    queue = new_queue()
    ready_message(queue)
    ack_by_id(queue, Message.objects.get().public_id)
    assert not Message.objects.exists()


def test_it_is_fenced_when_a_handle_comes_with_the_id():
    queue = new_queue(visibility_timeout=10)
    stale = in_flight_message(queue)
    receive(queue, now=after(seconds=10))
    with pytest.raises(ReceiptStale):
        ack_by_id(queue, stale.message_id, stale.receipt_handle)


def test_it_refuses_the_handle_of_another_message():
    queue = new_queue()
    one, other = in_flight_message(queue, "one"), in_flight_message(queue, "other")
    with pytest.raises(InvalidReceipt):
        ack_by_id(queue, one.message_id, other.receipt_handle)


@pytest.mark.parametrize(
    "message_id", ["", "msg_", "msg_" + "z" * 22, "q_" + "0" * 22, "💥", "msg_" + "0" * 22]
)
def test_it_finds_no_message_of_a_made_up_id(message_id):
    with pytest.raises(MessageNotFound):
        ack_by_id(new_queue(), message_id)


def test_it_finds_no_message_twice():
    queue = new_queue()
    delivery = in_flight_message(queue)
    ack_by_id(queue, ids.message_id(delivery.id))
    with pytest.raises(MessageNotFound):
        ack_by_id(queue, ids.message_id(delivery.id))
