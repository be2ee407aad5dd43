"""Messages as parameters and as rows: what the statements of standard and of FIFO queues share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

from queues.values import Delivery, NewMessage

if TYPE_CHECKING:
    from queues.models import Queue


# What a claim says of itself, in every row, beside what it leased.
CLAIM_COLUMNS = ("expired", "exhausted", "idle")


def sendings(
    queue: Queue,
    messages: Sequence[NewMessage],
    sizes: Sequence[int],
    *,
    bounded: bool,
    rank_step: int | None,
    now: datetime | None,
) -> dict[str, Any]:
    """What the statements that store messages take."""
    return {
        "queue_id": queue.pk,
        "bounded": bounded,
        "count": len(messages),
        "rank_step": rank_step,
        "now": now,
        "data": [message.data for message in messages],
        "attributes": [json_of(message.attributes) for message in messages],
        "delay_seconds": [
            queue.delay_seconds if m.delay_seconds is None else m.delay_seconds for m in messages
        ],
        "priority": [message.priority for message in messages],
        "group_id": [message.group_id for message in messages],
        "ttl_seconds": [message.ttl_seconds for message in messages],
        "max_deliveries": [message.max_deliveries for message in messages],
        "trace_id": [message.trace_id for message in messages],
        "size_bytes": list(sizes),
    }


def json_of(value: dict[str, Any] | None) -> Jsonb | None:
    return Jsonb(value) if value else None


def delivery_of(row: Any) -> Delivery:
    fields = row._asdict()
    for name in CLAIM_COLUMNS:
        fields.pop(name, None)
    for name in ("attributes", "last_error"):
        if fields[name] is not None:
            fields[name] = json.loads(fields[name])
    return Delivery(**fields)
