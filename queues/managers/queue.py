"""Queues as the doors read them: a deleted one is gone at once, whatever still has to be cleaned up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models import Queue


class QueueQuerySet(models.QuerySet["Queue"]):
    def live(self) -> QueueQuerySet:
        return self.filter(deleted_at=None)

    def deleted(self) -> QueueQuerySet:
        return self.exclude(deleted_at=None)


class QueueManager(models.Manager.from_queryset(QueueQuerySet)):  # type: ignore[misc]
    """All queues, deleted ones too: ask for `live()` ones wherever a person or a client looks."""

    def hold(self, queue_id: int) -> Queue | None:
        """The queue, kept from being deleted until the transaction ends; None when it is gone already."""
        return self.get(pk=queue_id) if run("queue/hold", queue_id=queue_id) else None
