"""Leases: a consumer that needs longer, or gives the message back unharmed."""

from datetime import datetime

from queues import ids, limits, receipts
from queues.errors import Invalid, MessageNotFound, ReceiptStale
from queues.events import emit
from queues.models import Message, Queue
from queues.operations.fifo_leases import holding
from queues.receipts import Receipt


def change_visibility(
    queue: Queue,
    message_id: str,
    receipt_handle: str,
    visibility_timeout: int,
    now: datetime | None = None,
) -> datetime:
    """Let the lease end so many seconds from now, and answer when that is; 0 releases the message at once."""
    limits.verify_range("visibility_timeout", visibility_timeout, limits.VISIBILITY_TIMEOUT)
    receipt = receipt_of(message_id, receipt_handle)
    with holding(queue, receipt, now):
        row = Message.objects.change_visibility(queue, receipt, visibility_timeout, now)
    if row is None:
        raise MessageNotFound()
    if not row.held:
        raise ReceiptStale()
    if not row.fits:
        raise Invalid(
            f"A lease lasts at most {limits.TOTAL_LEASE_SECONDS} s from the delivery on.",
            field="visibility_timeout",
        )
    if visibility_timeout == 0:
        emit("message.returned", queue=queue, count=1)
    return row.visible_at


def receipt_of(message_id: str, receipt_handle: str) -> Receipt:
    """The receipt a handle spells, which must be one of this message."""
    uid = ids.decode("msg", message_id)
    if uid is None:
        raise MessageNotFound()
    return receipts.read_for(uid, receipt_handle)
