"""Retention: messages that outlived it are logged as expired, never delivered."""

from datetime import datetime

from queues.models import Message, Outcome, Queue, State
from queues.operations.removal import remove


def remove_expired(queue: Queue, batch: int, now: datetime | None = None) -> int:
    """Log and remove messages that a claim has found expired."""
    marked = Message.objects.filter(ended_in=queue.pk, state=State.EXPIRED).order_by("id")
    return remove(queue, list(marked.values_list("id", flat=True)[:batch]), Outcome.EXPIRED, now)


def expire(queue: Queue, batch: int, now: datetime) -> int:
    """Log and remove messages whose time is over, whatever their state; running leases are left alone."""
    return remove(queue, Message.objects.over_age(queue, batch, now), Outcome.EXPIRED, now)
