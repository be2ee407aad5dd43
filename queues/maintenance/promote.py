"""Makes due messages ready, and exhausted leases dead letters, in queues nobody polls."""

from datetime import datetime

from queues.models import Message, Queue


def run_once(batch: int, now: datetime | None = None) -> int:
    queues = Queue.objects.with_due_messages(now)
    return sum(Message.objects.promote(queue, batch, now).moved for queue in queues)
