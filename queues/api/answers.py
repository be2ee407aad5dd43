"""How messages look from outside. Plain functions: a serializer would cost more than the query did."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from queues import ids
from queues.api.problems import kind_of
from queues.errors import QueueError
from queues.models import Message, Queue, State
from queues.operations import look
from queues.operations.timeline import timeline
from queues.operations.why import why_not_delivered
from queues.values import AckResult, Delivery, Stored

HIDDEN = (State.LEASED, State.DELAYED)


def received(queue: Queue, deliveries: list[Delivery]) -> list[dict[str, Any]]:
    sources = _source_ids(deliveries)
    return [
        {
            "message_id": delivery.message_id,
            "receipt_handle": delivery.receipt_handle,
            "invisible_until": time(delivery.invisible_until),
            **_common(delivery),
            **_dead_letter(queue, delivery, sources),
        }
        for delivery in deliveries
    ]


def looked_at(queue: Queue, messages: list[Message]) -> list[dict[str, Any]]:
    sources = _source_ids(messages)
    return [
        {
            "message_id": message.public_id,
            **_visibility(message),
            **_common(message),
            "error_type": message.error_type,
            "first_failed_at": time(message.first_failed_at),
            "last_failed_at": time(message.last_failed_at),
            "trace_id": message.trace_id,
            **_dead_letter(queue, message, sources),
        }
        for message in messages
    ]


def stored(message: Stored) -> dict[str, Any]:
    """The answer to a send. Only messages of FIFO queues have a place in a line."""
    place = {} if message.sequence is None else {"sequence": _sequence(message)}
    return {"message_id": message.message_id, **place}


def sent(name: str, result: Stored | QueueError) -> dict[str, Any]:
    """The same for an entry of a batch."""
    if isinstance(result, QueueError):
        return {"id": name, **_failure(result)}
    return {"id": name, "status": 201, **stored(result)}


def in_full(queue: Queue, message: Message) -> dict[str, Any]:
    """A message looked at on its own: with its past, and with what it waits for."""
    [shown] = looked_at(queue, [message])
    reason = why_not_delivered(queue, message)
    return {
        **shown,
        "timeline": [{**entry._asdict(), "at": time(entry.at)} for entry in timeline(message)],
        "why_not_delivered": {**reason._asdict(), "until": time(reason.until)} if reason else None,
    }


def acked(result: AckResult) -> dict[str, Any]:
    named = {} if result.message_id is None else {"message_id": result.message_id}
    outcome = {"status": 200} if result.error is None else _failure(result.error)
    return {"receipt_handle": result.receipt_handle, **named, **outcome}


def delivered(queue: Queue, result: uuid.UUID | QueueError) -> dict[str, Any]:
    """What became of the copy of a published message in one queue."""
    if isinstance(result, QueueError):
        return {"queue_id": queue.public_id, "error": _error(result)}
    return {"queue_id": queue.public_id, "message_id": ids.message_id(result)}


def _failure(error: QueueError) -> dict[str, Any]:
    return {"status": kind_of(error).status, "error": _error(error)}


def _error(error: QueueError) -> dict[str, Any]:
    return {"code": kind_of(error).code, "detail": error.message}


def _visibility(message: Message) -> dict[str, Any]:
    state = look.state_of(message)
    return {"state": state, "invisible_until": time(message.visible_at) if state in HIDDEN else None}


def _common(message: Message | Delivery) -> dict[str, Any]:
    return {
        "data": message.data,
        "attributes": message.attributes or {},
        "delivery_count": message.delivery_count,
        "enqueued_at": time(message.enqueued_at),
        "first_delivered_at": time(message.first_delivered_at),
        "group_id": message.group_id,
        "priority": message.priority,
        "key": message.key,
        "sequence": _sequence(message),
        "last_error": message.last_error,
    }


def _sequence(message: Message | Delivery | Stored) -> str | None:
    """As a string: a JavaScript client would round it."""
    return None if message.sequence is None else str(message.sequence)


def _dead_letter(queue: Queue, message: Message | Delivery, sources: Mapping[int, str]) -> dict[str, Any]:
    """A DLQ that outlived its source is an ordinary queue, but its dead letters are still dead letters."""
    if not queue.is_dlq and message.dead_lettered_at is None:
        return {}
    return {
        "source_queue_id": sources.get(message.source_queue_id or 0),
        "dead_lettered_at": time(message.dead_lettered_at),
        "dead_letter_reason": message.dead_letter_reason,
        "fingerprint": message.fingerprint,
        "redrive_count": message.redrive_count,
    }


def _source_ids(messages: Iterable[Message | Delivery]) -> dict[int, str]:
    """The public ids of the queues these died in, by one statement; a deleted queue has none any more."""
    wanted = {message.source_queue_id for message in messages if message.source_queue_id is not None}
    if not wanted:
        return {}
    found = Queue.objects.live().filter(pk__in=wanted).values_list("pk", "uid")
    return {pk: ids.queue_id(uid) for pk, uid in found}


def time(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
