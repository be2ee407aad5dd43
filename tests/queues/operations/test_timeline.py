import pytest

from queues import fingerprints, limits
from queues.models import Message, Queue, State
from queues.operations import look, queues
from queues.operations.dead_letters import requeue
from queues.operations.keys import create_api_key
from queues.operations.lease import change_visibility
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.timeline import timeline
from queues.operations.why import why_not_delivered
from tests.factories import NOW, after, dead_letter, in_flight_message, new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db
ERROR = {"type": "TimeoutError", "message": "no answer", "stack": "…"}


def told(now=NOW) -> list[tuple[str, float]]:
    """The events of the only message, with the second each happened in."""
    entries = timeline(Message.objects.get(), now)
    return [(entry.event, (entry.at - NOW).total_seconds()) for entry in entries]


def give_back(queue: Queue, now, **said):
    message = Message.objects.get()
    [delivery] = receive(queue, now=now)
    return nack(queue, message.public_id, delivery.receipt_handle, now=now, **said)


def test_it_begins_with_the_send():
    ready_message(new_queue())
    assert told() == [("sent", 0)]


def test_it_shows_a_lease_that_runs():
    in_flight_message(new_queue(visibility_timeout=30))
    assert told() == [("sent", 0), ("leased", 0)]
    assert timeline(Message.objects.get(), NOW)[1].detail.startswith("Until 20")


def test_it_shows_a_lease_that_ran_out_whether_somebody_has_noticed_or_not():
    queue = new_queue(visibility_timeout=30)
    in_flight_message(queue)
    story = [("sent", 0), ("leased", 0), ("lease_expired", 30)]
    assert told(after(seconds=40)) == story
    Message.objects.promote(queue, 10, after(seconds=40))
    assert told(after(seconds=40)) == story


def test_it_tells_past_leases_and_errors_in_order():
    queue = new_queue(visibility_timeout=30)
    ready_message(queue)
    receive(queue, now=after(seconds=1))
    give_back(queue, after(seconds=31), error=ERROR)
    receive(queue, now=after(seconds=50))
    assert told(after(seconds=50)) == [
        ("sent", 0),
        ("leased", 1),
        ("lease_expired", 31),
        ("leased", 31),
        ("nacked", 31),
        ("leased", 50),
    ]


def test_it_says_what_went_wrong():
    queue = new_queue()
    ready_message(queue)
    give_back(queue, NOW, error=ERROR)
    assert timeline(Message.objects.get(), NOW)[-1].detail == "TimeoutError: no answer"


def test_it_says_a_plain_reason():
    queue = new_queue()
    ready_message(queue)
    give_back(queue, NOW, reason="busy")
    assert timeline(Message.objects.get(), NOW)[-1].detail == "busy"


def test_it_names_the_key_that_held_the_message():
    queue = new_queue()
    key = create_api_key(queue.team, "worker-7", ["receive"]).key
    ready_message(queue)
    [delivery] = receive(queue, now=NOW, by=key.pk)
    nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
    receive(queue, now=after(seconds=1))
    entries = timeline(Message.objects.get(), after(seconds=1))
    assert [(entry.event, entry.by) for entry in entries] == [
        ("sent", None),
        ("leased", "worker-7"),
        ("nacked", "worker-7"),
        ("leased", None),
    ]


def test_it_begins_a_lease_once_that_was_released_and_taken_up_again():
    queue = new_queue(visibility_timeout=30)
    delivery = in_flight_message(queue)
    for second, timeout in ((1, 0), (2, 30), (3, 0)):
        change_visibility(
            queue, delivery.message_id, delivery.receipt_handle, timeout, now=after(seconds=second)
        )
    assert told() == [("sent", 0), ("leased", 0), ("released", 1), ("released", 3)]


def test_it_follows_the_message_to_the_dead_and_back():
    queue = new_queue(name="orders", max_deliveries=1, visibility_timeout=10)
    in_flight_message(queue)
    receive(queue, now=after(seconds=20))
    dlq = reloaded(queue).dlq
    requeue(dlq, Message.objects.get().public_id, after(seconds=60))
    story = ["sent", "leased", "lease_expired", "dead_lettered", "requeued"]
    entries = timeline(Message.objects.get(), after(seconds=60))
    assert [entry.event for entry in entries] == story
    assert entries[3].detail == "From orders to orders-dlq: max_deliveries_exceeded."
    assert entries[4].detail == "From orders-dlq to orders."
    assert (entries[3].at, entries[4].at) == (after(seconds=20), after(seconds=60))


def test_it_knows_when_a_dead_letter_died_even_if_that_was_long_ago():
    dead_letter(new_queue(max_deliveries=1))
    Message.objects.update(history=[])
    assert told() == [("sent", 0), ("dead_lettered", 0)]


def test_it_speaks_of_a_deleted_queue():
    queue = new_queue(max_deliveries=1)
    dead_letter(queue)
    Queue.objects.filter(pk=queue.pk).delete()
    assert "From a deleted queue to " in timeline(Message.objects.get(), NOW)[-1].detail


def test_it_keeps_the_last_events_only():
    queue = new_queue(max_deliveries=None)
    ready_message(queue)
    for second in range(30):
        give_back(queue, after(seconds=second), error={"type": "E", "message": "m" * 4000})
    history = Message.objects.get().history
    assert len(history) == limits.HISTORY_ENTRIES
    assert told()[-1] == ("nacked", 29)
    assert len(str(history)) < 10_000


def test_it_writes_nothing_at_a_receive():
    queue = new_queue()
    in_flight_message(queue)
    assert Message.objects.get().history is None


class TestDeadLetter:
    def test_it_says_that_nobody_answered_in_time(self):
        queue = new_queue(max_deliveries=2, visibility_timeout=10)
        in_flight_message(queue)
        receive(queue, now=after(seconds=10))
        receive(queue, now=after(seconds=20))
        dead = Message.objects.get()
        assert (dead.error_type, dead.last_error) == ("LeaseExpired", None)
        assert fingerprints.is_guess(dead.fingerprint)
        assert (dead.first_failed_at, dead.last_failed_at) == (after(seconds=10), after(seconds=20))
        assert (dead.lease_expiry_count, dead.delivery_count) == (2, 2)

    def test_it_keeps_what_a_consumer_said_before(self):
        queue = new_queue(max_deliveries=2, visibility_timeout=10)
        ready_message(queue, trace_id="4bf92f3577b34da6a3ce929d0e0e4736")
        give_back(queue, NOW, error=ERROR)
        receive(queue, now=NOW)
        receive(queue, now=after(seconds=10))
        dead = Message.objects.get()
        assert (dead.source_queue_id, dead.error_type) == (queue.pk, "TimeoutError")
        assert (dead.last_error, dead.trace_id) == (ERROR, "4bf92f3577b34da6a3ce929d0e0e4736")
        assert (dead.first_failed_at, dead.last_failed_at) == (NOW, after(seconds=10))


class TestWhyNotDelivered:
    def why(self, queue, now=NOW):
        return why_not_delivered(reloaded(queue), look.browse(queue).get(), now)

    def test_it_has_no_reason_when_the_message_is_ready(self):
        queue = new_queue()
        ready_message(queue)
        assert self.why(queue) is None

    def test_it_is_leased(self):
        queue = new_queue(visibility_timeout=30)
        in_flight_message(queue)
        assert self.why(queue)[::2] == ("leased", after(seconds=30))
        assert self.why(queue, after(seconds=30)) is None

    def test_it_is_delayed(self):
        queue = new_queue()
        ready_message(queue, delay_seconds=60)
        reason = self.why(queue)
        assert reason == ("delayed", "It was sent with a delay.", after(seconds=60))

    def test_it_waits_after_a_failure(self):
        queue = new_queue()
        ready_message(queue)
        give_back(queue, NOW, delay_seconds=60)
        reason = self.why(queue)
        assert (reason.code, reason.until) == ("delayed", after(seconds=60))
        assert "delivery 1" in reason.detail

    def test_it_is_paused(self):
        queue = new_queue()
        ready_message(queue)
        queues.pause(queue)
        assert self.why(queue)[::2] == ("paused", None)

    def test_it_is_exhausted(self):
        queue = new_queue()
        ready_message(queue)
        Message.objects.update(state=State.EXHAUSTED)
        assert self.why(queue)[::2] == ("exhausted", None)

    def test_it_is_used_up_though_nobody_has_moved_it_yet(self):
        queue = new_queue(max_deliveries=1, visibility_timeout=30)
        in_flight_message(queue)
        assert self.why(queue).code == "leased"
        assert self.why(queue, after(seconds=30)).code == "exhausted"

    def test_it_is_never_used_up_among_the_dead(self):
        queue = new_queue(max_deliveries=1)
        assert self.why(dead_letter(queue)) is None
