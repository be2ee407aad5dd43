"""Running totals and activity of queues: appended as sums, folded by maintenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import models

from queues.managers.statements import run, run_one

if TYPE_CHECKING:
    from queues.models import QueueActivity, QueueTally  # noqa: F401  # named in the classes' bases

COLUMNS = ("live", "sent", "received", "nacked", "acked", "dead_lettered", "expired")


class QueueTallyManager(models.Manager["QueueTally"]):
    def append(self, sums: Mapping[int, Mapping[str, int]]) -> None:
        """Add what changed in each queue since the last time."""
        columns = {name: [counts.get(name, 0) for counts in sums.values()] for name in COLUMNS}
        run("queue_tally/append", queue_ids=list(sums), **columns)

    def fold(self, batch: int) -> int:
        return int(run_one("queue_tally/fold", batch=batch).folded)

    def rebase(self, most: int) -> int:
        """Set right the totals of queues with fewer than `most` messages, and say how many were wrong."""
        return len(run("queue_tally/rebase", most=most))

    def estimate(self, queue_id: int) -> int:
        return int(run_one("queue_tally/estimate", queue_id=queue_id).live)


class QueueActivityManager(models.Manager["QueueActivity"]):
    def since(self, queue_id: int, since: datetime) -> Any:
        """A row of sums of what happened in a queue since then."""
        return run_one("queue_activity/since", queue_id=queue_id, since=since)

    def history(self, queue_ids: Sequence[int], since: datetime, step_seconds: int) -> list[Any]:
        """Sums over these queues for each step in which something happened, oldest first."""
        return run("queue_activity/history", queue_ids=list(queue_ids), since=since, step=step_seconds)

    def prune(self, now: datetime, keep: timedelta) -> int:
        return self.filter(bucket__lt=now - keep).delete()[0]
