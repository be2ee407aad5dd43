"""Retention: messages that outlived it are logged as expired, never delivered."""

import uuid
from datetime import datetime

from queues.events import emit
from queues.models import Message, Outcome, Queue, State
from queues.receipts import Receipt


def remove_expired(queue: Queue, batch: int, now: datetime | None = None) -> int:
    """Log and remove messages that a claim has found expired."""
    marked = Message.objects.filter(ended_in=queue.pk, state=State.EXPIRED).order_by("id")
    return _finish(queue, list(marked.values_list("id", flat=True)[:batch]), now)


def expire(queue: Queue, batch: int, now: datetime) -> int:
    """Log and remove messages whose time is over, whatever their state; running leases are left alone."""
    return _finish(queue, Message.objects.over_age(queue, batch, now), now)


def _finish(queue: Queue, message_ids: list[uuid.UUID], now: datetime | None) -> int:
    if not message_ids:
        return 0
    queue.refresh_from_db(fields=["queue_size"])  # listed a while ago: places are given back by its bound
    removed = len(Message.objects.finish(queue, [Receipt(uid) for uid in message_ids], Outcome.EXPIRED, now))
    emit("message.finished", queue=queue, count=removed, outcome=Outcome.EXPIRED)
    return removed
