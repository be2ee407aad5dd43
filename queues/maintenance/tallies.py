"""Folds the deltas of running totals, and sets a total right once its queue is shallow enough to count."""

from datetime import datetime

from queues.limits import EXACT_COUNT
from queues.models import QueueTally


def run_once(batch: int, now: datetime | None = None) -> int:
    folded = QueueTally.objects.fold(batch)
    QueueTally.objects.rebase(EXACT_COUNT)
    return folded
