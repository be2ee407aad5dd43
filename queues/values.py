"""What goes into and comes out of the queue engine: plain values, no rows."""

import base64
import json
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from queues import ids, receipts
from queues.errors import QueueError

BRIEF_LENGTH = 200


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message as a producer hands it over. Sizes and ranges are verified by the send operation."""

    data: str
    attributes: dict[str, Any] | None = None
    delay_seconds: int | None = None
    priority: int = 0
    group_id: str | None = None
    ttl_seconds: int | None = None
    max_deliveries: int | None = None
    trace_id: str | None = None


class Refused(NamedTuple):
    """An entry of a batch that a door could not read, and the group it names, if it names one."""

    error: QueueError
    group_id: str | None = None


class Stored(NamedTuple):
    """A message that is durable now: its id, and on a FIFO queue its place in the line."""

    id: uuid.UUID
    sequence: int | None = None

    @property
    def message_id(self) -> str:
        return ids.message_id(self.id)


def size_of(message: NewMessage) -> int:
    """Its bytes as counted against the limits: the data, and names and values of its attributes."""
    size = len(message.data.encode())
    for name, value in (message.attributes or {}).items():
        size += len(name.encode()) + len(_attribute_bytes(value))
    return size


def _attribute_bytes(value: Any) -> bytes:
    if isinstance(value, dict):
        return base64.b64decode(value["binary"])
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message as a consumer receives it: leased, with the receipt that fences its ack."""

    id: uuid.UUID
    receipt: uuid.UUID
    data: str
    attributes: dict[str, Any] | None
    delivery_count: int
    enqueued_at: datetime
    first_delivered_at: datetime
    invisible_until: datetime
    group_id: str | None
    priority: int
    key: str | None
    sequence: int | None
    last_error: dict[str, Any] | None
    source_queue_id: int | None
    dead_lettered_at: datetime | None
    dead_letter_reason: str | None
    fingerprint: str | None
    redrive_count: int
    rank: int = field(repr=False)

    @property
    def message_id(self) -> str:
        return ids.message_id(self.id)

    @property
    def receipt_handle(self) -> str:
        return receipts.write(self.id, self.receipt)


@dataclass(frozen=True, slots=True)
class Failure:
    """What a consumer says went wrong, if it says anything."""

    error: dict[str, Any] | None = None
    fingerprint: str | None = None

    @property
    def type(self) -> str | None:
        return self.error.get("type") if self.error else None

    @property
    def in_brief(self) -> dict[str, Any] | None:
        """As the timeline keeps it: no stack, and the beginning of a long message."""
        if self.error is None:
            return None
        brief = {"type": self.type, "message": self.error["message"][:BRIEF_LENGTH]}
        return {name: value for name, value in brief.items() if value}


@dataclass(frozen=True, slots=True)
class AckResult:
    """What became of one receipt handle of a batch: no error means the message is finished."""

    receipt_handle: str
    message_id: str | None = None
    error: QueueError | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many messages a queue holds. Exact unless a state holds more than `limits.EXACT_COUNT`."""

    total: int
    visible: int
    in_flight: int
    delayed: int
    exhausted: int
    exact: bool
    oldest_age_seconds: float | None
