"""What queues held and did over the last day: samples taken by maintenance, and the series of the charts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from queues import limits
from queues.models import Queue, QueueActivity, QueueSample

KEPT = timedelta(days=1)
POINTS = 120
SHORTEST_STEP = 30  # seconds: two samples fall into it

Series = list[float | None]


@dataclass(frozen=True, slots=True)
class History:
    """Series of equal length; None where nobody looked. Rates are messages per second."""

    at: list[datetime]
    depth: Series
    in_flight: Series
    oldest_age: Series
    sent: Series
    received: Series
    nacked: Series
    acked: Series
    dead_lettered: Series  # into the dead-letter queue; of a dead-letter queue, out of all its sources
    step_seconds: int
    sampled_at: datetime | None  # when the last of the samples was taken


def take(now: datetime | None = None) -> int:
    """Sample every queue, in two statements however many there are."""
    now = now or timezone.now()
    queue_ids = Queue.objects.live().values_list("pk", flat=True)
    return QueueSample.objects.keep(Queue.objects.health(list(queue_ids), now), now)


def forget(now: datetime | None = None) -> int:
    return QueueSample.objects.prune((now or timezone.now()) - KEPT)


def history(queue: Queue, minutes: int, now: datetime | None = None) -> History:
    limits.verify_range("minutes", minutes, limits.HISTORY_MINUTES)
    step = max(SHORTEST_STEP, minutes * 60 // POINTS)
    # Whole steps of the clock: the same instant falls into the same step whenever one looks.
    end = int((now or timezone.now()).timestamp()) // step * step
    points = minutes * 60 // step
    steps = [datetime.fromtimestamp(end - step * back, UTC) for back in range(points - 1, -1, -1)]
    samples = QueueSample.objects.history(queue.pk, steps[0], step)
    activity = QueueActivity.objects.history([queue.pk], steps[0], step)
    return History(
        at=steps,
        depth=_peaks(steps, samples, "depth"),
        in_flight=_peaks(steps, samples, "in_flight"),
        oldest_age=_ages(steps, samples),
        sent=_rates(steps, activity, "sent", step),
        received=_rates(steps, activity, "received", step),
        nacked=_rates(steps, activity, "nacked", step),
        acked=_rates(steps, activity, "acked", step),
        dead_lettered=_rates(steps, _deaths(queue, activity, steps[0], step), "dead_lettered", step),
        step_seconds=step,
        sampled_at=samples[-1].at if samples else None,
    )


def _deaths(queue: Queue, own: list[Any], since: datetime, step: int) -> list[Any]:
    """A dead letter is counted in the queue it dies in."""
    if not queue.is_dlq:
        return own
    sources = Queue.objects.live().filter(dlq=queue).values_list("pk", flat=True)
    return QueueActivity.objects.history(list(sources), since, step)


def _peaks(steps: Iterable[datetime], rows: Iterable[Any], name: str) -> Series:
    found = {row.bucket: getattr(row, name) for row in rows}
    return [found.get(step) for step in steps]


def _ages(steps: Iterable[datetime], rows: Iterable[Any]) -> Series:
    """Nothing waited is an age of 0; nobody looked is none."""
    found = {row.bucket: round(row.oldest_age or 0.0, 1) for row in rows}
    return [found.get(step) for step in steps]


def _rates(steps: list[datetime], rows: Iterable[Any], name: str, step: int) -> Series:
    """The last step is not over yet, so that its rate would look like a fall."""
    found = {row.bucket: getattr(row, name) / step for row in rows}
    rates: Series = [round(found.get(at, 0.0), 3) for at in steps]
    return [*rates[:-1], None]
