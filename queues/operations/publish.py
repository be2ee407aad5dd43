"""Publishing: a copy for every subscribed queue whose filter lets the message pass, in one commit."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from queues import filter_policy, ids, limits
from queues.errors import QueueError
from queues.events import emit
from queues.models import Message, Mode, Queue, Topic
from queues.operations import send, topics
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
    """In the order of their ids, in which places are waited for: two publishers that took them in different
    orders could each hold what the other waits for."""
    subscriptions = topics.subscriptions_of(topic).order_by("queue_id")
    wanting = [one.queue for one in subscriptions if filter_policy.matches(one.filter, message.attributes)]
    for queue in wanting:
        queue.team = topic.team  # known already, and named by every metric
    return wanting


def _deliver(
    queues: Sequence[Queue], message: NewMessage, size: int, now: datetime | None
) -> Iterator[tuple[int, Result]]:
    """One statement for all queues that nothing has to be waited for, and one send for each of the others."""
    refused = {queue.pk: error for queue in queues if (error := _refusal(queue, message, size))}
    allowed = [queue for queue in queues if queue.pk not in refused]
    yield from refused.items()
    yield from _copy([queue for queue in allowed if _takes_at_once(queue)], message, size, now)
    for queue in allowed:
        if not _takes_at_once(queue):
            [result] = send.send_batch(queue, [message], now)
            yield queue.pk, result


def _takes_at_once(queue: Queue) -> bool:
    """No place has to be found for the message, and no turn in its group."""
    return queue.queue_size is None and queue.mode == Mode.STANDARD


def _copy(
    queues: Sequence[Queue], message: NewMessage, size: int, now: datetime | None
) -> Iterator[tuple[int, Result]]:
    stored = Message.objects.copy(queues, message, size, now) if queues else []
    for queue, uid in zip(queues, stored, strict=True):
        emit("message.sent", queue=queue, count=1)
        yield queue.pk, uid


def _refusal(queue: Queue, message: NewMessage, size: int) -> QueueError | None:
    try:
        send.allowed_size(queue, message, size)
    except QueueError as error:
        return error
    return None
