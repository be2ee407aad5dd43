"""Publishing: a copy for every subscribed queue whose filter lets the message pass, in one commit."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from django.db import transaction

from queues import filter_policy, ids, limits
from queues.errors import QueueError, QueueFull
from queues.events import emit
from queues.models import Message, Mode, Queue, QueueSlot, Subscription, Topic
from queues.operations import send
from queues.values import NewMessage, size_of

# What became of a copy: the id of the message it is, or why there is none.
Result = uuid.UUID | QueueError


@dataclass(frozen=True, slots=True)
class Publication:
    """It is kept nowhere: its copies are ordinary messages, each with a life of its own."""

    uid: uuid.UUID
    deliveries: list[tuple[Queue, Result]]

    @property
    def public_id(self) -> str:
        return ids.topic_message_id(self.uid)


def publish(topic: Topic, message: NewMessage, now: datetime | None = None) -> Publication:
    """Send a message to every queue that wants it; one that is full or takes no such message fails alone."""
    send.verify(message)
    size = limits.verify_size_of_any(size_of(message))
    wanting = _wanting(topic, message)
    with transaction.atomic():
        results = dict(_deliver(wanting, message, size, now))
    return Publication(uuid.uuid4(), [(queue, results[queue.pk]) for queue in wanting])


def _wanting(topic: Topic, message: NewMessage) -> list[Queue]:
    """In the order of their ids: two publishers that waited for queues in different orders could each hold
    what the other waits for."""
    # Not joined, not sorted by the database: for either it walked every subscription there is, when its
    # statistics were from the time of the first topic.
    subscriptions = Subscription.objects.filter(topic=topic).values_list("queue_id", "filter")
    wanted_in = [pk for pk, policy in subscriptions if filter_policy.matches(policy, message.attributes)]
    wanting = sorted(Queue.objects.live().filter(pk__in=wanted_in), key=attrgetter("pk"))
    for queue in wanting:
        queue.team = topic.team  # known already, and named by every metric
    return wanting


def _deliver(
    queues: Sequence[Queue], message: NewMessage, size: int, now: datetime | None
) -> Iterator[tuple[int, Result]]:
    """The same few statements for all standard queues; a FIFO queue has a turn to wait for, each its own."""
    refused = {queue.pk: error for queue in queues if (error := _refusal(queue, message, size))}
    allowed = [queue for queue in queues if queue.pk not in refused]
    yield from refused.items()
    yield from _copy([queue for queue in allowed if queue.mode == Mode.STANDARD], message, size, now)
    for queue in allowed:
        if queue.mode == Mode.FIFO:
            yield queue.pk, _sent(queue, message, now)


def _copy(
    queues: Sequence[Queue], message: NewMessage, size: int, now: datetime | None
) -> Iterator[tuple[int, Result]]:
    full = _without_a_place([queue for queue in queues if queue.queue_size is not None])
    for queue in full:
        emit("send.refused", queue=queue, count=1, reason="queue_full")
        yield queue.pk, QueueFull()
    open_ones = [queue for queue in queues if queue not in full]
    stored = Message.objects.copy(open_ones, message, size, now) if open_ones else []
    for queue, uid in zip(open_ones, stored, strict=True):
        emit("message.sent", queue=queue, count=1)
        yield queue.pk, uid


def _without_a_place(queues: Sequence[Queue]) -> list[Queue]:
    """Take a place in each of these queues; those that are full are answered."""
    if not queues:
        return []
    before = transaction.savepoint()
    taken: Mapping[int, bool | None] = QueueSlot.objects.take_each_at_once(queues)
    if None in taken.values():
        # Somebody holds the places that are left. Nothing may be held while we wait for him, who may come to
        # wait for us: all is let go, and asked for again in order.
        transaction.savepoint_rollback(before)
        taken = QueueSlot.objects.take_each(queues)
    else:
        transaction.savepoint_commit(before)
    return [queue for queue in queues if not taken[queue.pk]]


def _sent(queue: Queue, message: NewMessage, now: datetime | None) -> Result:
    try:
        return send.send(queue, message, now)
    except QueueError as error:
        return error


def _refusal(queue: Queue, message: NewMessage, size: int) -> QueueError | None:
    try:
        send.allowed_size(queue, message, size)
    except QueueError as error:
        return error
    return None
