"""The trash: in, out again, and away when the time is over."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

from queues import ranking
from queues.limits import HISTORY_ENTRIES
from queues.managers import floors, nudges
from queues.managers.statements import run, run_one

if TYPE_CHECKING:
    from queues.models import DiscardedMessage, Queue  # noqa: F401  # named in the class's base


class DiscardedMessageManager(models.Manager["DiscardedMessage"]):
    def discard(
        self,
        queue: Queue,
        message_ids: Sequence[uuid.UUID],
        *,
        by: str,
        reason: str,
        replaced_by: uuid.UUID | None,
        now: datetime | None,
    ) -> int:
        """Move messages here and say how many; those that a consumer holds stay."""
        nudges.leave(queue, message_ids)
        row = run_one(
            "discarded_message/discard",
            queue_id=queue.pk,
            team_id=queue.team_id,
            bounded=queue.queue_size is not None,
            retention_seconds=queue.retention_seconds,
            ids=list(message_ids),
            by=by,
            reason=reason,
            replaced_by=replaced_by,
            kept_entries=HISTORY_ENTRIES,
            now=now,
        )
        return int(row.discarded)

    def restore(
        self, queue: Queue, message_ids: Sequence[uuid.UUID], by: str, now: datetime | None
    ) -> list[uuid.UUID]:
        """Put messages back into their queue, and say which."""
        rows = run(
            "discarded_message/restore",
            queue_id=queue.pk,
            ids=list(message_ids),
            by=by,
            rank_step=ranking.step_of(queue),
            kept_entries=HISTORY_ENTRIES,
            now=now,
        )
        restored = [row.id for row in rows]
        if restored:
            nudges.leave(queue, restored)
            floors.lower(queue.pk, min(restored))
        return restored

    def purge(self, batch: int, now: datetime | None) -> int:
        return int(run_one("discarded_message/purge", batch=batch, now=now).removed)
