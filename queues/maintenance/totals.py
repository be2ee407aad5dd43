"""Sets the running total of a queue right once the queue is shallow enough to count."""

from datetime import datetime

from queues.limits import EXACT_COUNT
from queues.models import QueueTally


def run_once(batch: int, now: datetime | None = None) -> int:
    return QueueTally.objects.rebase(EXACT_COUNT)
