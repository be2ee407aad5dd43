"""What a queue holds now, and how fast messages have come and gone over the last minutes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from queues.models import Queue, QueueActivity
from queues.operations import look
from queues.values import Counts

WINDOWS = (1, 5, 15)  # minutes


@dataclass(frozen=True, slots=True)
class Rates:
    """Messages per second, over so many minutes."""

    minutes: int
    sent: float
    received: float
    acked: float
    dead_lettered: float
    expired: float


@dataclass(frozen=True, slots=True)
class Stats:
    counts: Counts
    rates: list[Rates]


def stats(queue: Queue, now: datetime | None = None) -> Stats:
    now = now or timezone.now()
    return Stats(look.count(queue, now), [rates(queue, minutes, now) for minutes in WINDOWS])


def rates(queue: Queue, minutes: int, now: datetime) -> Rates:
    sums = QueueActivity.objects.since(queue.pk, now - timedelta(minutes=minutes))
    return Rates(
        minutes, **{name: round(float(total) / (60 * minutes), 3) for name, total in sums._asdict().items()}
    )
