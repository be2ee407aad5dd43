"""Folds the sums that processes append, and forgets activity of more than a day ago."""

from datetime import datetime, timedelta

from django.utils import timezone

from queues.models import QueueActivity, QueueTally

ACTIVITY_KEPT = timedelta(days=1)


def run_once(batch: int, now: datetime | None = None) -> int:
    folded = QueueTally.objects.fold(batch)
    QueueActivity.objects.prune(now or timezone.now(), ACTIVITY_KEPT)
    return folded
