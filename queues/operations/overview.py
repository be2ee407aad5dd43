"""How every queue is doing, and what is wrong with it. Few statements, however many queues there are."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from queues.durations import in_words
from queues.models import Queue

FULL = 0.95
# A queue whose messages wait for so long without any being received has no consumers.
IDLE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong; the serious ones lose messages or refuse them."""

    code: str
    text: str
    serious: bool = False


@dataclass(frozen=True, slots=True)
class QueueHealth:
    queue: Queue
    depth: int
    exact: bool  # the depth of a deep queue is its running total
    in_flight: int
    oldest_age: float | None  # seconds for which the first ready message has waited
    dead: int  # messages in its dead-letter queue, or in itself when it is one
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_serious(self) -> bool:
        return any(problem.serious for problem in self.problems)


def overview(queues: QuerySet[Queue], now: datetime | None = None) -> list[QueueHealth]:
    """All of these queues: those with serious problems first, then those with others, each part by name."""
    found = list(queues.select_related("dlq"))
    ids = {queue.pk for queue in found} | {queue.dlq_id for queue in found if queue.dlq_id}
    rows = {row.id: row for row in Queue.objects.health(sorted(ids), now)}
    healths = [_health(queue, rows) for queue in found if queue.pk in rows]
    return sorted(healths, key=_urgency)


def health(queue: Queue, now: datetime | None = None) -> QueueHealth:
    """One queue, judged as on the overview."""
    [found] = overview(Queue.objects.filter(pk=queue.pk), now)
    return found


def _urgency(health: QueueHealth) -> tuple[bool, bool, str]:
    return (not health.is_serious, not health.problems, health.queue.name.lower())


def _health(queue: Queue, rows: dict[int, Any]) -> QueueHealth:
    row = rows[queue.pk]
    dlq = row if queue.is_dlq else rows.get(queue.dlq_id or 0)
    dead = dlq.depth if dlq else 0
    problems = list(_problems(queue, row, dead))
    return QueueHealth(queue, row.depth, row.exact, row.in_flight, row.oldest_age, dead, problems)


def _problems(queue: Queue, row: Any, dead: int) -> Iterator[Problem]:
    if dead:
        yield Problem("dead", f"{dead:,} dead letter{'s' if dead > 1 else ''}", serious=True)
    if queue.queue_size is not None and row.depth >= FULL * queue.queue_size:
        yield Problem("full", f"{row.depth:,} of {queue.queue_size:,} places taken", serious=True)
    if queue.target_age_seconds is not None and (row.oldest_age or 0) > queue.target_age_seconds:
        age, target = in_words(row.oldest_age), in_words(queue.target_age_seconds)
        yield Problem("late", f"Oldest waits {age}, target {target}")
    if queue.paused:
        yield Problem("paused", "Paused")
    elif not queue.is_dlq and not row.received and (row.oldest_age or 0) >= IDLE_SECONDS:
        yield Problem("no_consumers", f"No consumers: nothing received for {in_words(IDLE_SECONDS)}")
