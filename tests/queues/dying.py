"""Messages that die as a consumer would let them, and what a count of them has to be."""

from collections import Counter
from datetime import datetime
from typing import Any

from queues.models import Message, Queue
from queues.operations import error_groups
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import NOW, ready_message


def died_of(
    queue: Queue,
    error: str | dict[str, Any] | None = "TimeoutError",
    data: str = "{}",
    now: datetime = NOW,
    **fields: Any,
) -> Message:
    """A message whose only delivery a consumer gave back, with this error or without a word."""
    ready_message(queue, data, now, **fields)
    [delivery] = receive(queue, now=now)
    report = {"type": error, "message": "no luck"} if isinstance(error, str) else error
    nack(queue, delivery.message_id, delivery.receipt_handle, error=report, now=now)
    return Message.objects.get(id=delivery.id)


def counted(dlq: Queue) -> dict[str, int]:
    """What the groups say, by fingerprint."""
    return {group.fingerprint: group.count for group in error_groups.groups(dlq)}


def really_there(dlq: Queue) -> dict[str, int]:
    """The same by reading every message."""
    dead = Message.objects.filter(queue_id=dlq.pk, dead_lettered_at__isnull=False)
    return dict(Counter(dead.values_list("fingerprint", flat=True)))
