"""Where the live part of a queue begins in the index: hints that keep a claim off dead entries.

While some transaction elsewhere stays open, no index entry that it might still see can be removed, and every
message taken since leaves a dead one at the head of the queue. A claim would walk all of them. A floor lets
it start behind them.

A floor is a hint, never a promise. It is measured from the true head about once a second, per process and
active queue, and used only while finding that head is costly; so a message that appears below it (a late
commit, a returned lease) waits a second at the most, and none is lost.
"""

import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from queues import ids
from queues.managers.statements import run_one

REFRESH_SECONDS = 1.0
COSTLY = timedelta(microseconds=500)
LATE_COMMIT = timedelta(seconds=1)
MANY_RANKS = 64
REMEMBERED_QUEUES = 10_000


@dataclass(slots=True)
class _Floor:
    measured: float
    ready: uuid.UUID | None = None
    parked: datetime | None = None
    parked_measured: float = float("-inf")


_floors: dict[int, _Floor] = {}


def ready(queue_id: int) -> uuid.UUID | None:
    """The id below which no ready message need be looked for, or None to look everywhere."""
    return _current(queue_id).ready


def parked(queue_id: int) -> datetime | None:
    """The time before which no parked message need be looked for, or None to look everywhere."""
    floor = _current(queue_id)
    return floor.parked if time.monotonic() - floor.parked_measured < REFRESH_SECONDS else None


def note_promotion(queue_id: int, at: datetime, cost: timedelta, drained: bool) -> None:
    """Learn from a promotion that looked everywhere; if it `drained` the queue, nothing due is left."""
    floor = _current(queue_id)
    floor.parked = at - LATE_COMMIT if drained and cost > COSTLY else None
    floor.parked_measured = time.monotonic()


def lower(queue_id: int, message_id: uuid.UUID) -> None:
    """Take in a message that came back below the floor."""
    floor = _floors.get(queue_id)
    if floor and floor.ready and message_id < floor.ready:
        floor.ready = message_id


def clear() -> None:
    _floors.clear()


def _current(queue_id: int) -> _Floor:
    floor = _floors.get(queue_id)
    if floor is None or time.monotonic() - floor.measured >= REFRESH_SECONDS:
        floor = _floors[queue_id] = _measure(queue_id, floor)
    return floor


def _measure(queue_id: int, previous: _Floor | None) -> _Floor:
    if len(_floors) > REMEMBERED_QUEUES:
        clear()
    head = run_one("message/head", queue_id=queue_id)
    floor = previous or _Floor(measured=0.0)
    floor.measured = time.monotonic()
    is_useful = head.cost > COSTLY and head.ranks < MANY_RANKS
    floor.ready = (head.id or ids.oldest_at(head.at - LATE_COMMIT)) if is_useful else None
    return floor
