"""The moves of a redrive: there, and back again for what nobody received yet."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from queues.limits import HISTORY_ENTRIES
from queues.managers import floors
from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models import Queue, RedriveTask

LOWEST = uuid.UUID(int=0)


class RedriveTaskManager(models.Manager["RedriveTask"]):
    def id_ahead(self, task: RedriveTask, look: int) -> uuid.UUID | None:
        """The id so many messages behind what the task has dealt with; None when there are fewer."""
        rows = run("message/id_ahead", queue_id=task.dlq_id, after=task.cursor or LOWEST, look=look)
        return rows[0].id if rows else None

    def move(
        self,
        task: RedriveTask,
        target: Queue,
        message_ids: Sequence[uuid.UUID],
        rank_step: int | None,
        now: datetime | None,
    ) -> None:
        run(
            "message/redrive",
            queue_id=task.dlq_id,
            target_id=target.pk,
            ids=list(message_ids),
            rank_step=rank_step,
            redrive_id=task.pk,
            by=task.requested_by,
            kept_entries=HISTORY_ENTRIES,
            now=now,
        )
        floors.lower(target.pk, min(message_ids))

    def lock_unreceived(self, task: RedriveTask, batch: int) -> list[Any]:
        """Rows of `id` and `queue_id`: where the messages are that can still be pulled back."""
        return run("message/lock_redriven", redrive_id=task.pk, dlq_id=task.dlq_id, batch=batch)

    def move_back(
        self, task: RedriveTask, queue_id: int, message_ids: Sequence[uuid.UUID], now: datetime | None
    ) -> None:
        run(
            "message/undo_redrive",
            queue_id=queue_id,
            dlq_id=task.dlq_id,
            ids=list(message_ids),
            kept_entries=HISTORY_ENTRIES,
            now=now,
        )
        floors.lower(task.dlq_id, min(message_ids))
