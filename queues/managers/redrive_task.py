"""What a redrive looks for: how far a batch may go, and what nobody has received yet."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.db import models

from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models import RedriveTask

LOWEST = uuid.UUID(int=0)


class RedriveTaskManager(models.Manager["RedriveTask"]):
    def id_ahead(self, task: RedriveTask, look: int) -> uuid.UUID | None:
        """The id so many messages behind what the task has dealt with; None when there are fewer."""
        rows = run("message/id_ahead", queue_id=task.dlq_id, after=task.cursor or LOWEST, look=look)
        return rows[0].id if rows else None

    def lock_unreceived(self, task: RedriveTask, batch: int) -> list[Any]:
        """Rows of `id` and `queue_id`: where the messages are that can still be pulled back."""
        return run("message/lock_redriven", redrive_id=task.pk, dlq_id=task.dlq_id, batch=batch)
