"""Removes the messages of deleted queues, then the queues themselves."""

from datetime import datetime, timedelta

from django.utils import timezone

from queues.models import (
    ErrorGroup,
    ErrorGroupDelta,
    ErrorGroupHour,
    FifoGroup,
    FifoNudge,
    Outcome,
    Queue,
    QueueSlot,
    QueueTally,
)
from queues.operations.queues import finish_batch

# A send that found the queue just before it was deleted may still commit: its message must find a row to be
# cleaned up under.
GRACE = timedelta(minutes=10)


def run_once(batch: int, now: datetime | None = None) -> int:
    long_ago = (now or timezone.now()) - GRACE
    return sum(_clean_up(queue, batch, long_ago) for queue in Queue.objects.deleted().order_by("pk"))


def _clean_up(queue: Queue, batch: int, long_ago: datetime) -> int:
    removed = finish_batch(queue, Outcome.QUEUE_DELETED, batch)
    if not removed and queue.deleted_at is not None and queue.deleted_at < long_ago:
        QueueSlot.objects.close(queue)
        QueueTally.objects.filter(pk=queue.pk).delete()
        _forget_groups(queue)
        queue.delete()
    return removed


def _forget_groups(queue: Queue) -> None:
    """What is folded goes first: whoever folds it just now is waited for, and what he made of it is seen."""
    for table in (ErrorGroupDelta, ErrorGroup, ErrorGroupHour, FifoNudge, FifoGroup):
        table._default_manager.filter(queue_id=queue.pk).delete()
