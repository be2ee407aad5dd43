"""Giving a message back: it failed, and is tried again later or is a dead letter now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from queues import limits
from queues.errors import Invalid, MessageNotFound, ReceiptStale
from queues.events import emit
from queues.models import Message, Queue, State
from queues.operations import dead_letters, failures
from queues.operations.fifo_leases import holding
from queues.operations.lease import receipt_of


@dataclass(frozen=True, slots=True)
class Nacked:
    """When the message can be received again, or the queue it is a dead letter in.

    Neither when its deliveries are used up and the dead-letter queue is full: it stays, exhausted.
    """

    visible_at: datetime | None = None
    dead_lettered_to: Queue | None = None


def nack(
    queue: Queue,
    message_id: str,
    receipt_handle: str,
    *,
    delay_seconds: int | None = None,
    reason: str | None = None,
    error: Mapping[str, Any] | None = None,
    now: datetime | None = None,
) -> Nacked:
    """End the lease as failed. Without a delay the queue's backoff decides how long the message waits."""
    _verify_delay(queue, delay_seconds)
    failure = failures.reported(error, reason)
    receipt = receipt_of(message_id, receipt_handle)
    with transaction.atomic(), holding(queue, receipt, now):
        row = Message.objects.nack(queue, receipt, failure, delay_seconds, now)
        if row is None:
            raise MessageNotFound()
        if not row.held:
            raise ReceiptStale()
        emit("message.nacked", queue=queue, count=1)
        if row.state == State.EXHAUSTED:
            return Nacked(dead_lettered_to=dead_letters.bury_one(queue, receipt.message_id, now))
    return Nacked(visible_at=row.visible_at)


def _verify_delay(queue: Queue, delay_seconds: int | None) -> None:
    if delay_seconds is None:
        return
    limits.verify_range("delay_seconds", delay_seconds, limits.DELAY_SECONDS)
    if delay_seconds >= queue.retention_seconds:
        raise Invalid("The message would expire before it is delivered again.", field="delay_seconds")
