"""Acknowledging: the message is finished, logged and gone."""

from collections.abc import Sequence
from datetime import datetime

from queues import ids, limits, receipts
from queues.errors import InvalidReceipt, LeaseOver, MessageNotFound, QueueError, ReceiptStale
from queues.events import emit
from queues.models import Message, Outcome, Queue
from queues.operations import fifo_leases
from queues.receipts import Receipt
from queues.values import AckResult


def ack(queue: Queue, handles: Sequence[str], now: datetime | None = None) -> list[AckResult]:
    """Finish the messages these handles hold, in one commit; each handle has its own answer, in order."""
    limits.verify_range("receipt_handles", len(handles), limits.BATCH_ENTRIES)
    wanted = {handle: _read(handle) for handle in handles}
    held = _finish(queue, list({receipt for receipt in wanted.values() if receipt}), now)
    return [_answer(queue, handle, wanted[handle], held) for handle in handles]


def ack_by_id(
    queue: Queue, message_id: str, receipt_handle: str | None = None, now: datetime | None = None
) -> None:
    """Finish one message by its id; with a receipt handle only if that lease is still the latest."""
    uid = ids.decode("msg", message_id)
    if uid is None:
        raise MessageNotFound()
    receipt = Receipt(uid) if receipt_handle is None else receipts.read_for(uid, receipt_handle)
    error = _error(queue, receipt, _finish(queue, [receipt], now))
    if error:
        raise error


def _finish(queue: Queue, wanted: Sequence[Receipt], now: datetime | None) -> dict[Receipt, bool]:
    finish = _finish_in_line if queue.is_fifo else Message.objects.finish
    held = finish(queue, wanted, Outcome.ACKED, now)
    emit("message.finished", queue=queue, count=sum(held.values()), outcome=Outcome.ACKED)
    return held


def _finish_in_line(
    queue: Queue, wanted: Sequence[Receipt], outcome: Outcome, now: datetime | None
) -> dict[Receipt, bool]:
    """On a FIFO queue a lease that ran out holds nothing."""
    with fifo_leases.held(queue, wanted, now) as held:
        done = [Receipt(receipt.message_id) for receipt, is_held in held.items() if is_held]
        Message.objects.finish(queue, done, outcome, now)
    return held


def _read(handle: str) -> Receipt | None:
    try:
        return receipts.read(handle)
    except InvalidReceipt:
        return None


def _answer(queue: Queue, handle: str, receipt: Receipt | None, held: dict[Receipt, bool]) -> AckResult:
    if receipt is None:
        return AckResult(handle, error=InvalidReceipt(field="receipt_handles"))
    return AckResult(handle, ids.message_id(receipt.message_id), _error(queue, receipt, held))


def _error(queue: Queue, receipt: Receipt, held: dict[Receipt, bool]) -> QueueError | None:
    if receipt not in held:
        return MessageNotFound()
    if held[receipt]:
        return None
    return LeaseOver() if queue.is_fifo else ReceiptStale()
