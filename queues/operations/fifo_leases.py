"""Leases of a FIFO queue: a handle holds its message only while they run, and then the group goes on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction

from queues.errors import LeaseOver, MessageNotFound
from queues.models import FifoGroup, Queue
from queues.receipts import Receipt


@contextmanager
def held(queue: Queue, receipts: Sequence[Receipt], now: datetime | None) -> Iterator[dict[Receipt, bool]]:
    """Do in the block, in one transaction, what becomes of messages; it is told which of the receipts that
    name one still hold it. The rows of the groups come last: nobody waits for anything who holds them."""
    with transaction.atomic():
        rows = FifoGroup.objects.lock_leased(queue, receipts, now)
        yield {Receipt(row.id, row.receipt): row.held for row in rows}
        FifoGroup.objects.call(queue, {row.group_id for row in rows if row.held}, now)


@contextmanager
def holding(queue: Queue, receipt: Receipt, now: datetime | None) -> Iterator[None]:
    """The same for one message, which must be held. On a standard queue its own statement sees to that."""
    if not queue.is_fifo:
        yield
        return
    with held(queue, [receipt], now) as found:
        if receipt not in found:
            raise MessageNotFound()
        if not found[receipt]:
            raise LeaseOver()
        yield
