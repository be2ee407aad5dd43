import pytest

from queues.errors import Invalid, InvalidReceipt, MessageNotFound, ReceiptStale
from queues.models import Message, Queue, State
from queues.operations import queues
from queues.operations.ack import ack_by_id
from queues.operations.lease import change_visibility
from queues.operations.receive import receive
from queues.values import Delivery
from tests.factories import NOW, after, dead_letter, in_flight_message, new_queue, ready_message

pytestmark = pytest.mark.django_db
HOUR = 3600


def change(queue: Queue, delivery: Delivery, seconds: int, now=NOW):
    return change_visibility(queue, delivery.message_id, delivery.receipt_handle, seconds, now)


@pytest.fixture
def queue():
    return new_queue(visibility_timeout=30)


@pytest.fixture
def delivery(queue):
    return in_flight_message(queue)


def test_it_counts_from_now_on(queue, delivery):
    assert change(queue, delivery, 60, now=after(seconds=20)) == after(seconds=80)
    assert receive(queue, now=after(seconds=79)) == []
    assert receive(queue, now=after(seconds=80))


def test_it_shortens_a_lease_too(queue, delivery):
    change(queue, delivery, 5)
    assert receive(queue, now=after(seconds=5))


def test_it_is_no_delivery(queue, delivery):
    change(queue, delivery, 60)
    message = Message.objects.get()
    assert (message.delivery_count, message.lease_expiry_count, message.history) == (1, 0, None)


def test_it_keeps_the_handle_good(queue, delivery):
    change(queue, delivery, 60)
    ack_by_id(queue, delivery.message_id, delivery.receipt_handle, now=after(seconds=59))
    assert not Message.objects.exists()


def test_it_leases_again_what_nobody_received_meanwhile(queue, delivery):
    assert change(queue, delivery, 60, now=after(seconds=40)) == after(seconds=100)
    assert receive(queue, now=after(seconds=99)) == []


def test_it_leases_again_what_was_already_made_ready(queue, delivery):
    Message.objects.promote(queue, 10, after(seconds=30))
    change(queue, delivery, 60, now=after(seconds=40))
    assert Message.objects.get().state == State.LEASED
    assert receive(queue, now=after(seconds=99)) == []


def test_it_refuses_a_handle_that_somebody_else_has_succeeded(queue, delivery):
    [later] = receive(queue, now=after(seconds=30))
    with pytest.raises(ReceiptStale):
        change(queue, delivery, 60, now=after(seconds=31))
    assert Message.objects.get().visible_at == later.invisible_until


def test_it_finds_no_message_that_is_finished(queue, delivery):
    ack_by_id(queue, delivery.message_id)
    with pytest.raises(MessageNotFound):
        change(queue, delivery, 60)


def test_it_finds_no_message_of_another_queue(delivery):
    with pytest.raises(MessageNotFound):
        change(new_queue(), delivery, 60)


def test_it_finds_no_message_that_has_died():
    queue = new_queue(max_deliveries=1, visibility_timeout=10)
    delivery = in_flight_message(queue)
    receive(queue, now=after(seconds=10))
    with pytest.raises(MessageNotFound):
        change(queue, delivery, 60, now=after(seconds=11))


@pytest.mark.parametrize("state", [State.EXHAUSTED, State.EXPIRED])
def test_it_brings_nothing_back_that_has_ended(queue, delivery, state):
    Message.objects.update(state=state)
    with pytest.raises(ReceiptStale):
        change(queue, delivery, 60)
    assert Message.objects.get().state == state


def test_it_refuses_the_handle_of_another_message(queue, delivery):
    other = in_flight_message(queue)
    with pytest.raises(InvalidReceipt):
        change_visibility(queue, delivery.message_id, other.receipt_handle, 60)


@pytest.mark.parametrize("seconds", [-1, 43_201])
def test_it_refuses_what_is_out_of_bounds(queue, delivery, seconds):
    with pytest.raises(Invalid) as caught:
        change(queue, delivery, seconds)
    assert caught.value.field == "visibility_timeout"


def test_it_allows_twelve_hours_from_the_delivery_on_and_no_more(queue, delivery):
    assert change(queue, delivery, 10 * HOUR, now=after(hours=2)) == after(hours=12)
    with pytest.raises(Invalid) as caught:
        change(queue, delivery, 10 * HOUR + 1, now=after(hours=2))
    assert caught.value.field == "visibility_timeout"
    assert Message.objects.get().visible_at == after(hours=12)


class TestRelease:
    def test_it_shows_the_message_at_once(self, queue, delivery):
        assert change(queue, delivery, 0, now=after(seconds=3)) == after(seconds=3)
        assert receive(queue, now=after(seconds=3))

    def test_it_is_no_failure(self, queue, delivery):
        change(queue, delivery, 0)
        receive(queue, now=NOW)
        message = Message.objects.get()
        assert (message.lease_expiry_count, message.nack_count, message.last_failed_at) == (0, 0, None)

    def test_it_knows_no_backoff(self):
        queue = new_queue(backoff={"base_seconds": 60})
        change(queue, in_flight_message(queue), 0)
        assert receive(queue, now=NOW)

    def test_it_leaves_the_handle_good_for_an_ack(self, queue, delivery):
        change(queue, delivery, 0)
        ack_by_id(queue, delivery.message_id, delivery.receipt_handle)
        assert not Message.objects.exists()

    def test_it_makes_the_handle_stale_once_somebody_has_received_the_message(self, queue, delivery):
        change(queue, delivery, 0)
        receive(queue, now=NOW)
        with pytest.raises(ReceiptStale):
            ack_by_id(queue, delivery.message_id, delivery.receipt_handle)

    def test_it_can_be_taken_back(self, queue, delivery):
        change(queue, delivery, 0)
        change(queue, delivery, 30)
        assert receive(queue, now=after(seconds=29)) == []

    def test_it_is_remembered_once(self, queue, delivery):
        change(queue, delivery, 0, now=after(seconds=3))
        change(queue, delivery, 0, now=after(seconds=4))
        [entry] = Message.objects.get().history
        assert entry["event"] == "released"

    def test_it_works_long_after_the_lease_may_have_lasted(self, queue, delivery):
        assert change(queue, delivery, 0, now=after(days=1)) == after(days=1)

    def test_it_is_dead_at_the_next_receive_when_that_was_its_last_delivery(self):
        queue = new_queue(max_deliveries=1)
        change(queue, in_flight_message(queue), 0)
        assert receive(queue, now=NOW) == []
        assert not Message.objects.filter(queue_id=queue.pk).exists()


def test_it_holds_for_dead_letters_that_are_received():
    dlq = dead_letter(new_queue(max_deliveries=1))
    [delivery] = receive(dlq, now=NOW)
    assert change(dlq, delivery, 90) == after(seconds=90)


def test_it_goes_on_in_a_paused_queue(queue, delivery):
    ready_message(queue)
    assert change(queues.pause(queue), delivery, 60) == after(seconds=60)
