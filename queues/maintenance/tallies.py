"""Folds the sums that processes append, and sets a total right once its queue is shallow enough to count."""

from datetime import datetime, timedelta

from django.utils import timezone

from queues.limits import EXACT_COUNT
from queues.models import QueueActivity, QueueTally

ACTIVITY_KEPT = timedelta(days=1)


def run_once(batch: int, now: datetime | None = None) -> int:
    folded = QueueTally.objects.fold(batch)
    QueueTally.objects.rebase(EXACT_COUNT)
    QueueActivity.objects.prune(now or timezone.now(), ACTIVITY_KEPT)
    return folded
