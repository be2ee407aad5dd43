"""The last day of a demo queue, for its charts: a wave as shops have it, up to what the queue holds now."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from random import Random

from queues import tallies
from queues.demo.scenes import Scene
from queues.models import Queue, QueueActivity, QueueSample, QueueTallyDelta

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
STEP = timedelta(seconds=30)  # of the finest chart
WAVE_PEAK_HOUR = 15


def tell(queue: Queue, scene: Scene, deaths: Iterable[datetime], rng: Random, now: datetime) -> None:
    """Samples and activity of a day. What filling the demo did itself is not part of the story."""
    _forget_the_filling(queue)
    steps = list(_steps(now))
    died = Counter(_step_of(moment) for moment in deaths)
    QueueSample.objects.bulk_create(_samples(queue, scene, steps, rng), batch_size=2_000)
    told = _activity(queue, scene, steps, died, rng)
    # Maintenance may write of the same seconds meanwhile: its word counts.
    QueueActivity.objects.bulk_create(told, batch_size=2_000, ignore_conflicts=True)


def grow(dlq: Queue, deaths: list[datetime], now: datetime) -> None:
    """A dead-letter queue holds whatever has died until then."""
    _forget_the_filling(dlq)
    ordered, seen, samples = sorted(deaths), 0, []
    for at in _steps(now):
        while seen < len(ordered) and ordered[seen] <= at:
            seen += 1
        age = (at - ordered[0]).total_seconds() if seen else None
        samples.append(QueueSample(queue_id=dlq.pk, at=at, depth=seen, in_flight=0, oldest_age_seconds=age))
    QueueSample.objects.bulk_create(samples, batch_size=2_000)


def _steps(now: datetime) -> Iterator[datetime]:
    last = _step_of(now)
    return (last - back * STEP for back in range(DAY // STEP, -1, -1))


def _step_of(moment: datetime) -> datetime:
    return moment.replace(second=moment.second // 30 * 30, microsecond=0)


def _forget_the_filling(queue: Queue) -> None:
    tallies.flush()
    nothing = dict.fromkeys(("sent", "received", "nacked", "acked", "dead_lettered", "expired"), 0)
    QueueTallyDelta.objects.filter(queue_id=queue.pk).update(**nothing)
    QueueActivity.objects.filter(queue_id=queue.pk).delete()
    QueueSample.objects.filter(queue_id=queue.pk).delete()


def _samples(queue: Queue, scene: Scene, steps: list[datetime], rng: Random) -> Iterator[QueueSample]:
    held = scene.ready + scene.in_flight + scene.delayed
    for at in steps:
        weight = _wave(at) / _wave(steps[-1])
        depth = max(0, round(held * weight * rng.uniform(0.9, 1.1)))
        yield QueueSample(
            queue_id=queue.pk,
            at=at,
            depth=min(depth, queue.queue_size or depth),
            in_flight=min(depth, scene.in_flight),
            oldest_age_seconds=scene.oldest_seconds * weight * rng.uniform(0.8, 1.2) if depth else None,
        )


def _activity(
    queue: Queue, scene: Scene, steps: list[datetime], died: Counter[datetime], rng: Random
) -> Iterator[QueueActivity]:
    for at in steps:
        sent = round(scene.per_minute * (STEP / MINUTE) * _wave(at) * rng.uniform(0.85, 1.15))
        taken = 0 if scene.paused else round(sent * rng.uniform(0.95, 1.03))
        # Whoever dies has failed as often as allowed; a few fail once and succeed.
        failed = died[at] * (queue.max_deliveries or 1) + round(taken * rng.uniform(0, 0.04))
        yield QueueActivity(
            queue_id=queue.pk,
            bucket=at,
            sent=sent,
            received=taken + failed,
            nacked=failed,
            acked=max(0, taken - died[at]),
            dead_lettered=died[at],
        )


def _wave(at: datetime) -> float:
    """Between 0.4 in the small hours and 1.6 in the afternoon."""
    hours = at.hour + at.minute / 60 - WAVE_PEAK_HOUR
    return 1 + 0.6 * math.cos(hours / 24 * 2 * math.pi)
