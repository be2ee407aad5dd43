"""Free places of bounded queues. Senders take them, removals give them back; the bound is exact.

A send takes its place before it stores the message, a removal gives the place back after the message is gone,
so that the slots never promise more room than there is.

Nobody waits in a circle, because all lock in one order: messages, then queues, then slots; then, of FIFO
queues, gates and the rows of groups. Whoever waits for slots waits for all those of a queue, lowest id first,
holding none of them; of several queues, the lowest first. A send and a removal take one slot that nobody
holds and wait for none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import models

from queues.managers.statements import run, run_one

if TYPE_CHECKING:
    from queues.models import Queue, QueueSlot  # noqa: F401  # named in the class's base

SLOTS = 8


def _shares(total: int, parts: int) -> list[int]:
    """`total` split evenly; it may be negative, as a queue may hold more than its new bound."""
    share, rest = divmod(total, parts)
    return [share + (1 if part < rest else 0) for part in range(parts)]


class QueueSlotManager(models.Manager["QueueSlot"]):
    def open(self, queue: Queue, free: int) -> None:
        """Replace the slots of a queue by fresh ones. The caller holds the queue's row."""
        self.close(queue)
        self.bulk_create(self.model(queue_id=queue.pk, free=share) for share in _shares(free, SLOTS))

    def close(self, queue: Queue) -> None:
        """A plain delete would lock them in whatever order it finds them."""
        self.lock(queue)
        self.filter(queue_id=queue.pk).delete()

    def take(self, queue: Queue, wanted: int) -> int:
        """Take up to `wanted` places and say how many. Waits for other senders, so the answer is exact."""
        if queue.queue_size is None:
            return wanted
        slots = self.lock(queue)
        free = sum(slot.free for slot in slots)
        taken = max(0, min(wanted, free))
        if taken:
            self._spread(([slot.id for slot in slots], free - taken))
        return taken

    def take_each_at_once(self, queues: Sequence[Queue]) -> dict[int, bool | None]:
        """Take a place in each of these queues without waiting, and say of each whether it had one to give.

        None: it has one, but not in a slot that nobody holds. A slot that was passed over may stay locked.
        """
        rows = run("queue_slot/take_each", queue_ids=[queue.pk for queue in queues])
        return {row.queue_id: True if row.taken else None if row.has_room else False for row in rows}

    def take_each(self, queues: Sequence[Queue]) -> dict[int, bool]:
        """The same, exactly: it waits for other senders, in the order of the queues."""
        slots = defaultdict(list)
        for slot in self.lock(*queues):
            slots[slot.queue_id].append(slot)
        free = {queue.pk: sum(slot.free for slot in slots[queue.pk]) for queue in queues}
        having = [pk for pk, places in free.items() if places > 0]
        if having:
            self._spread(*[([slot.id for slot in slots[pk]], free[pk] - 1) for pk in having])
        return {pk: pk in having for pk in free}

    def lock(self, *queues: Queue) -> list[Any]:
        """Hold every slot until the transaction ends: no send or removal changes them meanwhile."""
        return run("queue_slot/lock", queue_ids=[queue.pk for queue in queues])

    def give_back(self, queue: Queue, count: int) -> None:
        if queue.queue_size is not None and count:
            run("queue_slot/credit", queue_id=queue.pk, count=count)

    def settle(self, queue: Queue) -> None:
        """Set right what the slots lack, or promise too much. Removals that go on meanwhile add slots."""
        slots = self.lock(queue)
        missing = int(run_one("queue_slot/missing", queue_id=queue.pk, queue_size=queue.queue_size).places)
        self._spread(([slot.id for slot in slots], sum(slot.free for slot in slots) + missing))

    def free(self, queue: Queue) -> int:
        return self.filter(queue_id=queue.pk).aggregate(free=models.Sum("free"))["free"] or 0

    def _spread(self, *totals: tuple[list[int], int]) -> None:
        """Share out what each queue has free over its slots, which the caller holds."""
        kept, free, surplus = [], [], []
        for ids, total in totals:
            kept += ids[:SLOTS]
            free += _shares(total, len(ids[:SLOTS]))
            surplus += ids[SLOTS:]
        run("queue_slot/spread", ids=kept, free=free, surplus=surplus)
