"""Removes messages that outlived their retention or their own time to live."""

from datetime import datetime

from django.utils import timezone

from queues.models import Queue
from queues.operations import expiry


def run_once(batch: int, now: datetime | None = None) -> int:
    now = now or timezone.now()
    return sum(expiry.expire(queue, batch, now) for queue in Queue.objects.live().iterator())
