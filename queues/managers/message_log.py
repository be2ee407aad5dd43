"""The log of finished stays, and the partitions it lives in."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models import MessageLog, Queue


class MessageLogManager(models.Manager["MessageLog"]):
    def append(self, queue: Queue, ids: Sequence[uuid.UUID], outcome: str, now: datetime | None) -> None:
        """Log the end of a stay for messages that move on to another queue."""
        run(
            "message_log/append",
            team_id=queue.team_id,
            queue_id=queue.pk,
            ids=list(ids),
            outcome=outcome,
            now=now,
        )
