import pytest

from queues.errors import Invalid, MessageNotFound, ReceiptStale
from queues.metrics import NACKED
from queues.models import Message, MessageLog, Queue, QueueSlot, State
from queues.operations import queues
from queues.operations.ack import ack_by_id
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.values import Delivery
from tests.factories import NOW, after, dead_letter, in_flight_message, new_queue, reloaded

pytestmark = pytest.mark.django_db
ERROR = {"type": "TimeoutError", "message": "no answer from 10.0.0.7", "stack": "Traceback …"}


def give_back(queue: Queue, delivery: Delivery, now=NOW, **said):
    return nack(queue, delivery.message_id, delivery.receipt_handle, now=now, **said)


@pytest.fixture
def queue():
    return new_queue(visibility_timeout=30)


@pytest.fixture
def delivery(queue):
    return in_flight_message(queue)


def test_it_shows_the_message_at_once(queue, delivery):
    assert give_back(queue, delivery, now=after(seconds=3)).visible_at == after(seconds=3)
    [again] = receive(queue, now=after(seconds=3))
    assert again.delivery_count == 2


def test_it_waits_as_long_as_asked_for(queue, delivery):
    assert give_back(queue, delivery, delay_seconds=60).visible_at == after(seconds=60)
    assert receive(queue, now=after(seconds=59)) == []
    assert receive(queue, now=after(seconds=60))


def test_it_is_no_expiry_of_the_lease(queue, delivery):
    give_back(queue, delivery, delay_seconds=60)
    receive(queue, now=after(seconds=60))
    message = Message.objects.get()
    assert (message.nack_count, message.lease_expiry_count) == (1, 0)


def test_it_makes_the_handle_stale(queue, delivery):
    give_back(queue, delivery)
    for use in (give_back, lambda *_: ack_by_id(queue, delivery.message_id, delivery.receipt_handle)):
        with pytest.raises(ReceiptStale):
            use(queue, delivery)


def test_it_works_after_the_lease_ran_out_while_nobody_has_received_the_message(queue, delivery):
    Message.objects.promote(queue, 10, after(seconds=30))
    give_back(queue, delivery, delay_seconds=60, now=after(seconds=40))
    assert receive(queue, now=after(seconds=99)) == []


def test_it_changes_nothing_for_a_stale_handle(queue, delivery):
    [later] = receive(queue, now=after(seconds=30))
    with pytest.raises(ReceiptStale):
        give_back(queue, delivery, error=ERROR)
    message = Message.objects.get()
    assert (message.receipt, message.nack_count, message.last_error) == (later.receipt, 0, None)


def test_it_finds_no_message_that_is_finished(queue, delivery):
    ack_by_id(queue, delivery.message_id)
    with pytest.raises(MessageNotFound):
        give_back(queue, delivery)


def test_it_finds_no_message_of_another_queue(delivery):
    with pytest.raises(MessageNotFound):
        give_back(new_queue(), delivery)


class TestReport:
    def test_it_keeps_the_error(self, queue, delivery):
        give_back(queue, delivery, error=ERROR, now=after(seconds=2))
        message = Message.objects.get()
        assert message.last_error == ERROR
        assert message.error_type == "TimeoutError"
        assert message.fingerprint.startswith("v1:")
        assert (message.first_failed_at, message.last_failed_at) == (after(seconds=2), after(seconds=2))

    def test_it_shows_the_error_to_the_next_consumer(self, queue, delivery):
        give_back(queue, delivery, error=ERROR)
        [again] = receive(queue, now=NOW)
        assert again.last_error == ERROR

    def test_it_keeps_a_plain_reason(self, queue, delivery):
        give_back(queue, delivery, reason="not today")
        message = Message.objects.get()
        assert (message.last_error, message.error_type) == ({"message": "not today"}, None)
        assert message.fingerprint.startswith("v1:")

    def test_it_remembers_the_first_failure_and_the_last(self, queue, delivery):
        give_back(queue, delivery, error=ERROR, now=after(seconds=1))
        [again] = receive(queue, now=after(seconds=2))
        give_back(queue, again, error={"type": "KeyError", "message": "x"}, now=after(seconds=5))
        message = Message.objects.get()
        assert (message.first_failed_at, message.last_failed_at) == (after(seconds=1), after(seconds=5))
        assert (message.error_type, message.nack_count) == ("KeyError", 2)

    def test_it_keeps_the_last_error_when_nothing_is_said(self, queue, delivery):
        give_back(queue, delivery, error=ERROR)
        give_back(queue, receive(queue, now=NOW)[0])
        assert Message.objects.get().last_error == ERROR

    def test_it_takes_the_word_of_the_client_for_the_fingerprint(self, queue, delivery):
        give_back(queue, delivery, error={**ERROR, "fingerprint": "billing-down"})
        message = Message.objects.get()
        assert (message.fingerprint, message.last_error) == ("billing-down", ERROR)

    def test_it_cuts_what_is_long_and_keeps_both_ends(self, queue, delivery):
        give_back(
            queue, delivery, error={"type": "E", "message": "m" * 9000, "stack": "a" + "s" * 90_000 + "z"}
        )
        kept = Message.objects.get().last_error
        assert (len(kept["message"]), len(kept["stack"])) == (3999, 15_999)
        assert (kept["stack"][0], kept["stack"][-1]) == ("a", "z")

    @pytest.mark.parametrize(
        ("said", "field"),
        [
            ({"reason": "a", "error": ERROR}, "reason"),
            ({"reason": "\x00"}, "reason"),
            ({"error": {}}, "error"),
            ({"error": {"type": "E"}}, "error"),
            ({"error": {"message": "m"}}, "error"),
            ({"error": {"type": "", "message": "m"}}, "error"),
            ({"error": {"type": 5, "message": "m"}}, "error"),
            ({"error": {"type": "E", "message": None}}, "error"),
            ({"error": {"type": "E", "message": "\ud800"}}, "error"),
            ({"error": {"type": "E" * 201, "message": "m"}}, "error"),
            ({"error": {**ERROR, "fingerprint": "f" * 65}}, "error"),
            ({"error": {**ERROR, "colour": "red"}}, "error"),
            ({"delay_seconds": -1}, "delay_seconds"),
            ({"delay_seconds": 31_536_001}, "delay_seconds"),
            ({"delay_seconds": 345_600}, "delay_seconds"),
        ],
    )
    def test_it_refuses_what_it_cannot_keep(self, queue, delivery, said, field):
        with pytest.raises(Invalid) as caught:
            give_back(queue, delivery, **said)
        assert caught.value.field == field
        assert Message.objects.get().nack_count == 0


class TestLastDelivery:
    def test_it_is_a_dead_letter_at_once(self):
        queue = new_queue(max_deliveries=1)
        result = give_back(queue, in_flight_message(queue), error=ERROR)
        assert result.visible_at is None
        assert result.dead_lettered_to == reloaded(queue).dlq
        assert receive(result.dead_lettered_to, now=NOW)

    def test_it_carries_the_whole_story(self):
        queue = new_queue(max_deliveries=1)
        delivery = in_flight_message(queue, now=NOW)
        give_back(queue, delivery, error=ERROR, now=after(seconds=4))
        dead = Message.objects.get()
        assert (dead.id, dead.source_queue_id) == (delivery.id, queue.pk)
        assert (dead.dead_lettered_at, dead.dead_letter_reason) == (
            after(seconds=4),
            "max_deliveries_exceeded",
        )
        assert (dead.delivery_count, dead.nack_count, dead.last_error) == (1, 1, ERROR)
        assert (dead.first_failed_at, dead.last_failed_at) == (after(seconds=4), after(seconds=4))

    def test_it_logs_what_went_wrong(self):
        queue = new_queue(max_deliveries=1)
        give_back(queue, in_flight_message(queue), error=ERROR)
        row = MessageLog.objects.get()
        assert (row.outcome, row.nack_count, row.error_type) == ("dead_lettered", 1, "TimeoutError")

    def test_it_heeds_no_delay(self):
        queue = new_queue(max_deliveries=1)
        result = give_back(queue, in_flight_message(queue), delay_seconds=3600)
        assert receive(result.dead_lettered_to, now=NOW)

    def test_it_counts_a_message_s_own_limit(self):
        queue = new_queue(max_deliveries=None)
        delivery = in_flight_message(queue, max_deliveries=1)
        assert give_back(queue, delivery).dead_lettered_to is not None

    def test_it_moves_the_place_along(self):
        queue = new_queue(max_deliveries=1, queue_size=7)
        dlq = give_back(queue, in_flight_message(queue)).dead_lettered_to
        assert (QueueSlot.objects.free(queue), QueueSlot.objects.free(dlq)) == (7, 6)

    def test_it_stays_exhausted_while_the_dead_letter_queue_is_full(self):
        queue = new_queue(max_deliveries=1, queue_size=5)
        queues.update(dead_letter(queue), queue_size=1)
        result = give_back(queue, in_flight_message(queue), error=ERROR)
        assert (result.visible_at, result.dead_lettered_to) == (None, None)
        message = Message.objects.get(queue_id=queue.pk)
        assert (message.state, message.last_error) == (State.EXHAUSTED, ERROR)

    def test_it_does_not_die_again_among_the_dead(self):
        dlq = dead_letter(new_queue(max_deliveries=1))
        [delivery] = receive(dlq, now=NOW)
        assert give_back(dlq, delivery).visible_at == NOW


def test_it_is_counted(queue, delivery, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        give_back(queue, delivery)
    assert NACKED.labels(queue.team.name, queue.name)._value.get() == 1
