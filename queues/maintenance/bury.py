"""Moves exhausted messages to their dead-letter queues, and removes those marked as expired."""

from datetime import datetime

from queues.models import Queue
from queues.operations import dead_letters, expiry


def run_once(batch: int, now: datetime | None = None) -> int:
    return sum(_clear(queue, batch, now) for queue in Queue.objects.with_ended_messages())


def _clear(queue: Queue, batch: int, now: datetime | None) -> int:
    return dead_letters.bury(queue, batch, now) + expiry.remove_expired(queue, batch, now)
