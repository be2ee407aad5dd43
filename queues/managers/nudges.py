"""Nudges: word to the consumers of a FIFO queue that groups of theirs have changed from aside."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models import Queue


def leave(queue: Queue, message_ids: Sequence[uuid.UUID]) -> None:
    """Call it in the transaction of the change: after messages have come here, before they leave."""
    if queue.is_fifo:
        run("fifo_group/nudge", queue_id=queue.pk, ids=list(message_ids))
