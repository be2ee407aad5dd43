"""Receipt handles: which message, under which lease. A new lease makes the older handles stale."""

import base64
import binascii
import uuid
from typing import NamedTuple

from queues.errors import InvalidReceipt


class Receipt(NamedTuple):
    """A message under one of its leases; without a lease, the message whoever holds it."""

    message_id: uuid.UUID
    lease: uuid.UUID | None = None


def write(message_id: uuid.UUID, lease: uuid.UUID) -> str:
    return base64.urlsafe_b64encode(message_id.bytes + lease.bytes).rstrip(b"=").decode()


def read(handle: str) -> Receipt:
    try:
        raw = base64.urlsafe_b64decode(handle.encode("ascii") + b"=")
    except (UnicodeEncodeError, binascii.Error):
        raise InvalidReceipt(field="receipt_handle") from None
    if len(raw) != 32 or write(uuid.UUID(bytes=raw[:16]), uuid.UUID(bytes=raw[16:])) != handle:
        raise InvalidReceipt(field="receipt_handle")
    return Receipt(uuid.UUID(bytes=raw[:16]), uuid.UUID(bytes=raw[16:]))


def read_for(message_id: uuid.UUID, handle: str) -> Receipt:
    receipt = read(handle)
    if receipt.message_id != message_id:
        raise InvalidReceipt("This receipt handle belongs to another message.", field="receipt_handle")
    return receipt
