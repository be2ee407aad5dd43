"""Ending messages that nobody acknowledges: purged, expired, or of a deleted queue."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from queues.events import emit
from queues.managers import nudges
from queues.models import Message, Outcome, Queue
from queues.receipts import Receipt


def remove(queue: Queue, message_ids: Sequence[uuid.UUID], outcome: Outcome, now: datetime | None) -> int:
    """Log and remove them, whatever their state, and say how many there were.

    The queue was found a while ago: its bound may have changed since, and places are given back by it.
    """
    if not message_ids:
        return 0
    queue.refresh_from_db(fields=["queue_size"])
    finish = _finish_in_line if queue.is_fifo else _finish
    removed = finish(queue, message_ids, outcome, now)
    emit("message.finished", queue=queue, count=removed, outcome=outcome)
    return removed


def _finish(queue: Queue, message_ids: Sequence[uuid.UUID], outcome: Outcome, now: datetime | None) -> int:
    return len(Message.objects.finish(queue, [Receipt(uid) for uid in message_ids], outcome, now))


@transaction.atomic
def _finish_in_line(
    queue: Queue, message_ids: Sequence[uuid.UUID], outcome: Outcome, now: datetime | None
) -> int:
    nudges.leave(queue, message_ids)
    return _finish(queue, message_ids, outcome, now)
