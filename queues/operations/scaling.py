"""How many consumers a queue could do with, for whatever starts and stops them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.db.models import Sum
from django.utils import timezone

from queues import limits
from queues.models import Queue, QueueMetrics
from queues.operations import look, stats

WINDOW_MINUTES = 5
DEFAULT_MESSAGES_PER_WORKER = 100
RATE_BUCKET = 300
RATE_SPAN = timedelta(days=1)

Step = tuple[int, int]  # from so many messages on, so many workers


@dataclass(frozen=True, slots=True)
class Scaling:
    desired_workers: int
    backlog: int
    drain_rate: float
    arrival_rate: float
    per_worker_rate: float | None  # None when nobody has been seen at work


def scaling(
    queue: Queue,
    *,
    messages_per_worker: int | None = None,
    target_drain_seconds: int | None = None,
    steps: Sequence[Step] = (),
    now: datetime | None = None,
) -> Scaling:
    """By a backlog for each worker, by a time to drain it, by steps: the largest of what is asked for."""
    now = now or timezone.now()
    counts, rates = look.count(queue, now), stats.rates(queue, WINDOW_MINUTES, now)
    # What is in flight is counted: or workers that are busy with the last messages would be taken away.
    backlog = counts.visible + counts.in_flight
    rate = _per_worker_rate(queue, now) or _observed_rate(rates.acked, counts.in_flight)
    wanted = [
        *([_by_drain(backlog, rate, target_drain_seconds)] if target_drain_seconds and rate else []),
        *([_by_steps(backlog, steps)] if steps else []),
    ]
    if messages_per_worker is not None or not wanted:
        wanted.append(ceil(backlog / (messages_per_worker or DEFAULT_MESSAGES_PER_WORKER)))
    return Scaling(
        # Of a paused queue nobody receives anything, however many ask.
        desired_workers=0 if queue.paused else min(max(wanted), limits.WORKERS[1]),
        backlog=backlog,
        drain_rate=rates.acked,
        arrival_rate=rates.sent,
        per_worker_rate=rate and round(rate, 3),
    )


def _by_drain(backlog: int, rate: float, seconds: int) -> int:
    return ceil(backlog / (rate * seconds))


def _by_steps(backlog: int, steps: Sequence[Step]) -> int:
    """Below the first step one worker is enough, while there is anything to do."""
    reached = [workers for messages, workers in sorted(steps) if messages <= backlog]
    return reached[-1] if reached else min(backlog, 1)


def _per_worker_rate(queue: Queue, now: datetime) -> float | None:
    """What one worker finishes in a second, by how long the messages of the last day took."""
    recent = QueueMetrics.objects.filter(
        queue_id=queue.pk, bucket_seconds=RATE_BUCKET, bucket_start__gte=now - RATE_SPAN
    )
    sums = recent.aggregate(count=Sum("processing_count"), seconds=Sum("processing_sum"))
    return sums["count"] / sums["seconds"] if sums["seconds"] else None


def _observed_rate(acked_per_second: float, in_flight: int) -> float | None:
    """Without history: what is finished is shared by those who hold a message now (Little's law)."""
    return acked_per_second / in_flight if acked_per_second and in_flight else None
