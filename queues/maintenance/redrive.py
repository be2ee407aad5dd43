"""Moves the next batch of every redrive that runs."""

import logging
from datetime import datetime

from django.db import DatabaseError, OperationalError

from queues.models import RedriveStatus, RedriveTask
from queues.operations import redrive_run

# Stretches of a queue in which nothing matches are passed over, so many in one pass.
STRETCHES = 10

logger = logging.getLogger(__name__)


def run_once(batch: int, now: datetime | None = None) -> int:
    running = RedriveTask.objects.filter(status=RedriveStatus.RUNNING).order_by("pk")
    return sum(_attend_to(pk, batch, now) for pk in running.values_list("pk", flat=True))


def _attend_to(task_id: int, batch: int, now: datetime | None) -> int:
    """One redrive's trouble is not the others'."""
    try:
        return _advance(task_id, batch, now)
    except OperationalError:  # the database is away, for all of them
        raise
    except DatabaseError as error:
        logger.warning("redrive %d failed, trying again later: %s", task_id, error)
        return 0


def _advance(task_id: int, batch: int, now: datetime | None) -> int:
    for _ in range(STRETCHES):
        progress = redrive_run.advance(task_id, batch, now)
        if progress.moved or progress.idle:
            return progress.moved
    return batch  # more to do at once
