"""Running totals of queues: appended as deltas, folded by maintenance, read as an estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.db import models

from queues.managers.statements import run, run_one

if TYPE_CHECKING:
    from queues.models import QueueTally  # noqa: F401  # named in the class's base


class QueueTallyManager(models.Manager["QueueTally"]):
    def append(self, deltas: Mapping[int, int]) -> None:
        run("queue_tally/append", queue_ids=list(deltas), live=list(deltas.values()))

    def fold(self, batch: int) -> int:
        return int(run_one("queue_tally/fold", batch=batch).folded)

    def rebase(self, most: int) -> None:
        """Set right the totals of queues with fewer than `most` messages."""
        run("queue_tally/rebase", most=most)

    def estimate(self, queue_id: int) -> int:
        return int(run_one("queue_tally/estimate", queue_id=queue_id).live)
