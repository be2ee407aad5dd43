"""Counts a queue whose size was changed once more, when every send that began before has ended."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from queues.models import Message, Queue, QueueSlot

GRACE = timedelta(seconds=10)


def run_once(batch: int, now: datetime | None = None) -> int:
    settled_by = (now or timezone.now()) - GRACE
    unsettled = Queue.objects.live().filter(slots_unsettled_at__lt=settled_by)
    return sum(_settle(queue.pk) for queue in unsettled[:batch])


@transaction.atomic
def _settle(queue_id: int) -> int:
    queue = Queue.objects.select_for_update(no_key=True).get(pk=queue_id)
    if queue.queue_size is not None:
        # Locked before the count: a send has then either stored its message or not taken its place yet.
        QueueSlot.objects.lock(queue)
        QueueSlot.objects.settle(queue, Message.objects.filter(queue_id=queue.pk).count())
    Queue.objects.filter(pk=queue_id).update(slots_unsettled_at=None)
    return 1
