"""Queues as the doors read them: a deleted one is gone at once, whatever still has to be cleaned up."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from queues.limits import EXACT_COUNT, EXACT_COUNT_OF_MANY
from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models import Queue, Team

JSON_FIELDS = ("tags", "backoff")


class QueueQuerySet(models.QuerySet["Queue"]):
    def live(self) -> QueueQuerySet:
        return self.filter(deleted_at=None)

    def deleted(self) -> QueueQuerySet:
        return self.exclude(deleted_at=None)


class QueueManager(models.Manager.from_queryset(QueueQuerySet)):  # type: ignore[misc]
    """All queues, deleted ones too: ask for `live()` ones wherever a person or a client looks."""

    def of_team(self, team: Team, uid: uuid.UUID) -> Queue | None:
        """The team's queue, which every call needs: prepared, because the ORM took four times as long."""
        rows = run("queue/find", uid=uid, team_id=team.pk)
        if not rows:
            return None
        values = rows[0]._asdict()
        for name in JSON_FIELDS:
            values[name] = json.loads(values[name]) if values[name] is not None else None
        names = [field.attname for field in self.model._meta.concrete_fields]
        queue: Queue = self.model.from_db(self.db, names, [values[name] for name in names])
        queue.team = team  # known already, and named by every metric
        return queue

    def hold(self, queue_id: int) -> Queue | None:
        """The queue, kept from being deleted until the transaction ends; None when it is gone already."""
        return self.get(pk=queue_id) if run("queue/hold", queue_id=queue_id) else None

    def with_due_messages(self, now: datetime | None) -> list[Queue]:
        return self._named(run("queue/with_due", now=now))

    def with_ended_messages(self) -> list[Queue]:
        """Queues in which messages are exhausted or marked as expired."""
        return self._named(run("queue/with_ended"))

    def deliverable(self, waiting: Mapping[int, int], now: datetime | None = None) -> list[Any]:
        """A row for each queue with messages for those who wait, counted up to their number, or deleted."""
        if not waiting:
            return []
        return run("queue/deliverable", queue_ids=list(waiting), most=list(waiting.values()), now=now)

    def _named(self, rows: list[Any]) -> list[Queue]:
        return list(self.filter(pk__in=[row.id for row in rows]).order_by("pk")) if rows else []

    def gauges(self, most: int) -> list[Any]:
        """A row for each queue: depth, leases and age of the head, counted no further than `most`."""
        return run("queue/gauges", most=most)

    def health(self, queue_ids: Sequence[int], now: datetime | None = None) -> list[Any]:
        """A row for each of these queues that is live: what it holds, how long that waits, who receives."""
        bounds = {"most": EXACT_COUNT_OF_MANY, "most_parked": EXACT_COUNT}
        return run("queue/health", queue_ids=list(queue_ids), now=now, **bounds)
