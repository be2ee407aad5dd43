"""Groups count every dead letter that is in the queue, and none that left it, folded or not."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pytest
from django.db import transaction

from queues.errors import QueueFull
from queues.maintenance import DUTIES, bury, deleted_queues, expire, promote
from queues.maintenance import error_groups as folding
from queues.models import ErrorGroup, ErrorGroupDelta, ErrorGroupHour, Queue
from queues.operations import error_groups, queues, redrive, redrive_run, trash
from queues.operations.ack import ack, ack_by_id
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.edit import edit_and_requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import NOW, after, in_flight_message, new_queue, ready_message, reloaded
from tests.queues.dying import BROKEN, SILENT, TIMEOUT, Morgue, counted, died_of, fold, really_there

pytestmark = pytest.mark.django_db


@pytest.fixture
def morgue() -> Morgue:
    return Morgue()


def die_at_receive(at: Morgue) -> None:
    in_flight_message(at.source, "{}")
    receive(at.source, now=after(seconds=10))


def die_at_nack(at: Morgue) -> None:
    died_of(at.source, "TimeoutError")


def die_in_maintenance(at: Morgue) -> None:
    in_flight_message(at.source, "{}")
    promote.run_once(10, after(seconds=10))
    assert bury.run_once(10, after(seconds=10)) == 1


def die_in_a_full_queue(at: Morgue) -> None:
    """It waits among the living until there is room, and is counted when it is moved."""
    queues.update(at.dlq, queue_size=1)
    died_of(at.source, "TimeoutError")
    queues.update(at.dlq, queue_size=None)
    assert bury.run_once(10, NOW) == 1


def requeue_one(at: Morgue) -> None:
    requeue(at.dlq, at.broken.public_id, NOW)


def requeue_into_a_full_queue(at: Morgue) -> None:
    queues.update(at.source, queue_size=1)
    ready_message(at.source)
    with pytest.raises(QueueFull):
        requeue(at.dlq, at.broken.public_id, NOW)


def undo_a_requeue(at: Morgue) -> None:
    undo_requeue(at.dlq, at.requeued, NOW)


def undo_a_requeue_twice(at: Morgue) -> None:
    undo_requeue(at.dlq, at.requeued, NOW)
    undo_requeue(at.dlq, at.requeued, NOW)


def redrive_some(at: Morgue) -> None:
    task = redrive.start(at.dlq, filter={"error_type": "TimeoutError"}, limit=2, now=NOW)
    while not redrive_run.advance(task.pk, 1, NOW).idle:
        pass


def redrive_and_undo(at: Morgue) -> None:
    task = redrive.start(at.dlq, now=NOW)
    redrive_run.advance(task.pk, 100, NOW)
    assert redrive.undo(task, NOW) == 5


def redrive_and_undo_what_is_left(at: Morgue) -> None:
    """One of them has died again by then."""
    task = redrive.start(at.dlq, filter={"error_type": "TimeoutError"}, now=NOW)
    redrive_run.advance(task.pk, 100, NOW)
    [delivery] = receive(at.source, now=NOW)
    report = {"type": "BrokenPipe", "message": "no luck"}
    nack(at.source, delivery.message_id, delivery.receipt_handle, error=report, now=NOW)
    assert redrive.undo(task, NOW) == 2


def discard_some(at: Morgue) -> None:
    assert trash.discard(at.dlq, [*at.letters[1:], "msg_none"], by="ada", now=NOW) == 4


def restore_one(at: Morgue) -> None:
    assert trash.restore(at.dlq, [at.discarded], NOW) == 1


def restore_twice(at: Morgue) -> None:
    assert trash.restore(at.dlq, [at.discarded, at.discarded], NOW) == 1
    assert trash.restore(at.dlq, [at.discarded], NOW) == 0


def purge_the_living(at: Morgue) -> None:
    assert queues.purge(at.other) == 1


def purge(at: Morgue) -> None:
    assert queues.purge(at.dlq) == 6


def expire_in_maintenance(at: Morgue) -> None:
    died_of(at.source, "TimeoutError", now=after(days=10))
    assert expire.run_once(100, after(days=15)) == 5 + 2  # and what was requeued, and sent by hand


def expire_at_receive(at: Morgue) -> None:
    """What a consumer of the dead-letter queue comes upon is over age."""
    assert receive(at.dlq, now=after(days=15)) == []


def ack_from_the_dead_letter_queue(at: Morgue) -> None:
    ack(at.dlq, [delivery.receipt_handle for delivery in receive(at.dlq, 2, now=NOW)])


def ack_by_its_id(at: Morgue) -> None:
    ack_by_id(at.dlq, at.silent.public_id, now=NOW)


def ack_twice(at: Morgue) -> None:
    [delivery] = receive(at.dlq, now=NOW)
    ack(at.dlq, [delivery.receipt_handle, delivery.receipt_handle], now=NOW)
    ack(at.dlq, [delivery.receipt_handle], now=NOW)


def fail_in_the_dead_letter_queue(at: Morgue) -> None:
    [delivery] = receive(at.dlq, now=NOW)
    report = {"type": "OtherError", "message": "of those who look"}
    nack(at.dlq, delivery.message_id, delivery.receipt_handle, error=report, now=NOW)


def edit(at: Morgue) -> None:
    edit_and_requeue(at.dlq, at.silent.public_id, data='{"mended": true}', by="ada", now=NOW)


def die_again_of_something_else(at: Morgue) -> None:
    [delivery] = receive(at.other, now=NOW)
    report = {"type": "BrokenPipe", "message": "no luck"}
    nack(at.other, delivery.message_id, delivery.receipt_handle, error=report, now=NOW)


def lose_the_source(at: Morgue) -> None:
    """The dead-letter queue is an ordinary queue now, its letters still in their groups."""
    queues.delete(at.source)
    queues.delete(at.other)
    deleted_queues.run_once(100)
    assert trash.discard(at.dlq, [at.broken.public_id], by="ada", now=NOW) == 1


def crash_half_way(at: Morgue) -> None:
    """All that happened in a transaction that does not commit."""
    with transaction.atomic():
        died_of(at.source, "TimeoutError")
        requeue(at.dlq, at.broken.public_id, NOW)
        trash.restore(at.dlq, [at.discarded], NOW)
        folding.run_once(10_000)
        queues.purge(at.dlq)
        transaction.set_rollback(True)


def do_all_duties(at: Morgue) -> None:
    for duty in DUTIES:
        duty.run_once(duty.batch, NOW)


class Way(NamedTuple):
    deed: Callable[[Morgue], object]
    timeout: int = 0
    broken: int = 0
    silent: int = 0


WAYS = [
    Way(die_at_receive, silent=+1),
    Way(die_at_nack, timeout=+1),
    Way(die_in_maintenance, silent=+1),
    Way(die_in_a_full_queue, timeout=+1),
    Way(requeue_one, broken=-1),
    Way(requeue_into_a_full_queue),
    Way(undo_a_requeue, timeout=+1),
    Way(undo_a_requeue_twice, timeout=+1),
    Way(redrive_some, timeout=-2),
    Way(redrive_and_undo),
    Way(redrive_and_undo_what_is_left, timeout=-1, broken=+1),
    Way(discard_some, timeout=-2, broken=-1, silent=-1),
    Way(restore_one, broken=+1),
    Way(restore_twice, broken=+1),
    Way(purge_the_living),
    Way(purge, timeout=-3, broken=-1, silent=-1),
    Way(expire_in_maintenance, timeout=-2, broken=-1, silent=-1),
    Way(expire_at_receive, timeout=-3, broken=-1, silent=-1),
    Way(ack_from_the_dead_letter_queue, timeout=-2),
    Way(ack_by_its_id, silent=-1),
    Way(ack_twice, timeout=-1),
    Way(fail_in_the_dead_letter_queue),
    Way(edit, silent=-1),
    Way(die_again_of_something_else, broken=+1),
    Way(lose_the_source, broken=-1),
    Way(crash_half_way),
    Way(do_all_duties),
]


@pytest.mark.parametrize("folded", ["never", "before", "before and after"])
@pytest.mark.parametrize("way", WAYS, ids=[way.deed.__name__ for way in WAYS])
def test_it_counts_through(way: Way, folded: str, morgue: Morgue):
    if "before" in folded:
        fold()
    assert morgue.titles() == {TIMEOUT: 3, BROKEN: 1, SILENT: 1}
    way.deed(morgue)
    if "after" in folded:
        fold()
    assert morgue.titles() == +Counter(
        {TIMEOUT: 3 + way.timeout, BROKEN: 1 + way.broken, SILENT: 1 + way.silent}
    )
    assert counted(morgue.dlq) == really_there(morgue.dlq)
    assert error_groups.dead_count(morgue.dlq) == sum(really_there(morgue.dlq).values())


def test_a_deleted_queue_takes_its_groups_along(morgue: Morgue):
    fold()
    error_groups.set_note(morgue.dlq, morgue.broken.fingerprint, "call Bob", "ada")
    queues.delete(morgue.dlq)
    deleted_queues.run_once(100)
    assert error_groups.groups(morgue.dlq) == []
    died_of(other := new_queue(max_deliveries=1), "TimeoutError")
    Queue.objects.deleted().update(deleted_at=after(hours=-1))
    deleted_queues.run_once(100)
    tables = (ErrorGroup, ErrorGroupDelta, ErrorGroupHour)
    left = {row.queue_id for table in tables for row in table.objects.all()}
    assert left == {reloaded(other).dlq_id}
