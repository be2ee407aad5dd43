"""Messages that die as a consumer would let them, and what a count of them has to be."""

from collections import Counter
from datetime import datetime
from typing import Any

from queues.maintenance import error_groups as folding
from queues.models import ErrorGroupDelta, Message, Queue
from queues.operations import error_groups, trash
from queues.operations.dead_letters import requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import NOW, new_queue, ready_message, reloaded

TIMEOUT, BROKEN, SILENT = "TimeoutError: no luck", "BrokenPipe: no luck", "No error reported: an empty object"


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


class Morgue:
    """A queue and its dead letters: three died of a timeout, one of a broken pipe, one without a word.

    One more lies in the trash, and one was requeued to another queue.
    """

    def __init__(self) -> None:
        self.source = new_queue(
            name="orders", max_deliveries=1, visibility_timeout=10, allow_edit=True, queue_size=50
        )
        self.timeouts = [died_of(self.source, "TimeoutError") for _ in range(3)]
        self.broken = died_of(self.source, "BrokenPipe")
        self.silent = died_of(self.source, None)
        self.source = reloaded(self.source)
        self.dlq = self.source.dlq
        ready_message(self.dlq, "sent here by hand")
        self.other = new_queue(self.source.team, max_deliveries=1, dlq=self.dlq)
        self.requeued = died_of(self.other, "TimeoutError").public_id
        requeue(self.dlq, self.requeued, NOW)
        self.discarded = died_of(self.source, "BrokenPipe").public_id
        trash.discard(self.dlq, [self.discarded], by="ada", now=NOW)

    @property
    def letters(self) -> list[str]:
        return [message.public_id for message in (*self.timeouts, self.broken, self.silent)]

    def titles(self) -> Counter[str]:
        return Counter({group.title: group.count for group in error_groups.groups(self.dlq)})


def fold() -> None:
    """All that waits."""
    folding.run_once(10_000)
    assert not ErrorGroupDelta.objects.exists()
