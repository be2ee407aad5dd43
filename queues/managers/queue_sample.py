"""Samples of what queues hold."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models import QueueSample  # noqa: F401  # named in the class's base


class QueueSampleManager(models.Manager["QueueSample"]):
    def keep(self, health: Iterable[Any], at: datetime) -> int:
        """Store what `Queue.objects.health` found."""
        samples = (
            self.model(
                queue_id=row.id,
                at=at,
                depth=row.depth,
                in_flight=row.in_flight,
                oldest_age_seconds=row.oldest_age,
            )
            for row in health
        )
        return len(self.bulk_create(samples, batch_size=1_000))

    def history(self, queue_id: int, since: datetime, step_seconds: int) -> list[Any]:
        """Peaks of a queue for each step in which it was sampled, oldest first."""
        return run("queue_sample/history", queue_id=queue_id, since=since, step=step_seconds)

    def prune(self, before: datetime) -> int:
        return self.filter(at__lt=before).delete()[0]
