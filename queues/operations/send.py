"""Sending: a message is durable when this returns."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from queues import limits, ranking
from queues.errors import EarlierOneFailed, Invalid, QueueError, QueueFull
from queues.events import emit
from queues.managers.fifo_group import FifoGroupManager
from queues.managers.message import MessageManager
from queues.models import FifoGroup, Message, Queue, QueueSlot
from queues.values import NewMessage, Refused, Stored, size_of


def send(queue: Queue, message: NewMessage, now: datetime | None = None) -> uuid.UUID:
    """Store one message and answer its id."""
    return send_one(queue, message, now).id


def send_one(queue: Queue, message: NewMessage, now: datetime | None = None) -> Stored:
    """The same, for those who ask for its place in the line, too."""
    stored = _store(queue, [message], [_verified_size(queue, message)], now)
    if not stored:
        raise QueueFull()
    return stored[0]


def send_many(queue: Queue, messages: Sequence[NewMessage], now: datetime | None = None) -> list[uuid.UUID]:
    """Store messages in order, in one commit, as many as fit: the first of them, or none in a full queue."""
    sizes = [_verified_size(queue, message) for message in messages]
    return [stored.id for stored in _store(queue, messages, sizes, now)]


def send_batch(
    queue: Queue, entries: Sequence[NewMessage | Refused], now: datetime | None = None
) -> list[Stored | QueueError]:
    """Store messages in order, in one commit; each has an answer of its own, its id or what is wrong with it.

    A bad entry fails alone; on a FIFO queue, with those of its group that come after it. When the queue is
    nearly full, the first ones fit and the rest do not.
    """
    limits.verify_range("messages", len(entries), limits.BATCH_ENTRIES)
    checked = [_checked(queue, entry) for entry in entries]
    if queue.is_fifo:
        checked = _up_to_the_first_bad_one_of_each_group(entries, checked)
    good = [entry for entry in checked if not isinstance(entry, QueueError)]
    stored = iter(_store(queue, [entry.message for entry in good], [entry.size for entry in good], now))
    return [entry if isinstance(entry, QueueError) else next(stored, QueueFull()) for entry in checked]


def _store(
    queue: Queue, messages: Sequence[NewMessage], sizes: Sequence[int], now: datetime | None
) -> list[Stored]:
    if not messages:
        return []
    rank_step = ranking.step_of(queue)
    stored = _store_at_once(queue, messages, sizes, rank_step, now)
    if len(stored) < len(messages):
        stored = _squeeze_in(queue, messages, sizes, rank_step, now)
    _report(queue, len(stored), refused=len(messages) - len(stored))
    return stored


def _store_at_once(
    queue: Queue,
    messages: Sequence[NewMessage],
    sizes: Sequence[int],
    rank_step: int | None,
    now: datetime | None,
) -> list[Stored]:
    """All of them, if some slot has room for all.

    A slot that had room a moment ago may stay locked. A longer transaction lets go of it: whoever waits for
    every slot, as comes next, must hold none.
    """
    bounded = queue.queue_size is not None
    point = transaction.savepoint() if bounded and transaction.get_connection().in_atomic_block else None
    stored = _manager_of(queue).store(queue, messages, sizes, bounded=bounded, rank_step=rank_step, now=now)
    if point:
        (transaction.savepoint_commit if stored else transaction.savepoint_rollback)(point)
    return stored


def _squeeze_in(
    queue: Queue,
    messages: Sequence[NewMessage],
    sizes: Sequence[int],
    rank_step: int | None,
    now: datetime | None,
) -> list[Stored]:
    """No single slot had room for all: wait for every slot and take what is really there."""
    with transaction.atomic():
        room = QueueSlot.objects.take(queue, len(messages))
        if not room:
            return []
        return _manager_of(queue).store(
            queue, messages[:room], sizes[:room], bounded=False, rank_step=rank_step, now=now
        )


def _manager_of(queue: Queue) -> MessageManager | FifoGroupManager:
    return FifoGroup.objects if queue.is_fifo else Message.objects


def _report(queue: Queue, stored: int, refused: int) -> None:
    if stored:
        emit("message.sent", queue=queue, count=stored)
    if refused:
        emit("send.refused", queue=queue, count=refused, reason="queue_full")


class _Checked(NamedTuple):
    message: NewMessage
    size: int


def _checked(queue: Queue, entry: NewMessage | Refused) -> _Checked | QueueError:
    if isinstance(entry, Refused):
        return entry.error
    try:
        return _Checked(entry, _verified_size(queue, entry))
    except QueueError as error:
        return error


def _up_to_the_first_bad_one_of_each_group(
    entries: Sequence[NewMessage | Refused], checked: Sequence[_Checked | QueueError]
) -> list[_Checked | QueueError]:
    failed: set[str | None] = set()
    results: list[_Checked | QueueError] = []
    for entry, result in zip(entries, checked, strict=True):
        if isinstance(result, QueueError):
            failed.add(entry.group_id)
        elif entry.group_id in failed:
            result = EarlierOneFailed()
        results.append(result)
    return results


def _verified_size(queue: Queue, message: NewMessage) -> int:
    verify(message)
    return allowed_size(queue, message, size_of(message))


def verify(message: NewMessage) -> None:
    """Refuse what no queue would take."""
    limits.verify_text("data", message.data)
    limits.verify_range("priority", message.priority, limits.PRIORITY)
    if message.attributes:
        limits.verify_attributes(message.attributes)
    if message.group_id is not None:
        limits.verify_group_id(message.group_id)
    if message.max_deliveries is not None:
        limits.verify_range("max_deliveries", message.max_deliveries, limits.MAX_DELIVERIES)
    if message.trace_id is not None:
        limits.verify_length("trace_id", message.trace_id, limits.TRACE_ID_LENGTH)
    if message.delay_seconds is not None:
        limits.verify_range("delay_seconds", message.delay_seconds, limits.DELAY_SECONDS)
    if message.ttl_seconds is not None:
        limits.verify_range("ttl_seconds", message.ttl_seconds, limits.TTL_SECONDS)
        _verify_delay(message, message.ttl_seconds)


def allowed_size(queue: Queue, message: NewMessage, size: int) -> int:
    """Refuse what this queue would not take."""
    _verify_delay(message, queue.retention_seconds)
    if queue.is_fifo:
        _verify_for_fifo(message)
    return limits.verify_message_size(size, queue.max_message_bytes)


def _verify_delay(message: NewMessage, lifetime: int) -> None:
    if message.delay_seconds is not None and message.delay_seconds >= lifetime:
        raise Invalid(
            f"The message would expire after {lifetime} s, before it is delivered.", field="delay_seconds"
        )


def _verify_for_fifo(message: NewMessage) -> None:
    """What would let a message overtake others of its group, or be overtaken."""
    if message.group_id is None:
        raise Invalid("A FIFO queue needs it: messages of a group are delivered in order.", field="group_id")
    if message.priority:
        raise Invalid("Must be 0: a FIFO queue delivers in order.", field="priority")
    if message.delay_seconds:
        raise Invalid("Must be 0: on a FIFO queue only the queue itself has a delay.", field="delay_seconds")
