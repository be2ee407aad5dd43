"""Counts a queue whose size was changed once more, when every send that began before has ended."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from queues.models import Queue, QueueSlot

GRACE = timedelta(seconds=10)


def run_once(batch: int, now: datetime | None = None) -> int:
    settled_by = (now or timezone.now()) - GRACE
    unsettled = _unsettled(settled_by).values_list("pk", flat=True)
    return sum(_settle(queue_id, settled_by) for queue_id in unsettled[:batch])


def _unsettled(settled_by: datetime) -> QuerySet[Queue]:
    return Queue.objects.live().filter(slots_unsettled_at__lt=settled_by)


@transaction.atomic
def _settle(queue_id: int, settled_by: datetime) -> int:
    queue = _unsettled(settled_by).select_for_update(no_key=True).filter(pk=queue_id).first()
    if queue is None:  # deleted, or changed again just now: its turn comes later
        return 0
    if queue.queue_size is not None:
        QueueSlot.objects.settle(queue)
    Queue.objects.filter(pk=queue_id).update(slots_unsettled_at=None)
    return 1
