"""Duties that keep queues in order when nobody polls them. One file each: `run_once(batch, now) -> int`.

Each pass is short, commits as it goes and may be repeated, interrupted or run twice at once without harm.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from queues.maintenance import (
    bury,
    deleted_queues,
    error_groups,
    expire,
    fifo_nudges,
    log_partitions,
    old_error_groups,
    old_metrics,
    promote,
    redrive,
    samples,
    sessions,
    slots,
    tallies,
    totals,
    trash,
)


@dataclass(frozen=True)
class Duty:
    name: str
    run_once: Callable[[int, datetime | None], int]
    every_seconds: float
    batch: int = 1_000


DUTIES = (
    Duty("log_partitions", log_partitions.run_once, every_seconds=300),
    Duty("promote", promote.run_once, every_seconds=1),
    Duty("bury", bury.run_once, every_seconds=1),
    Duty("fifo_nudges", fifo_nudges.run_once, every_seconds=1),
    Duty("redrive", redrive.run_once, every_seconds=0.5),
    Duty("expire", expire.run_once, every_seconds=10),
    Duty("deleted_queues", deleted_queues.run_once, every_seconds=5, batch=5_000),
    Duty("slots", slots.run_once, every_seconds=5),
    Duty("tallies", tallies.run_once, every_seconds=10, batch=10_000),
    Duty("samples", samples.run_once, every_seconds=15),
    Duty("totals", totals.run_once, every_seconds=300),
    Duty("trash", trash.run_once, every_seconds=60),
    Duty("sessions", sessions.run_once, every_seconds=600),
    Duty("error_groups", error_groups.run_once, every_seconds=5, batch=10_000),
    # They are never at it twice in a row: all that is old goes at once.
    Duty("old_error_groups", old_error_groups.run_once, every_seconds=3_600, batch=1_000_000_000),
    Duty("old_metrics", old_metrics.run_once, every_seconds=3_600, batch=1_000_000_000),
)
