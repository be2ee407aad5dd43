"""Teams, queues and messages in the state a test needs. Time is passed in: tests never wait."""

from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from queues.models import Queue, Team, Topic
from queues.operations import queues, topics
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send, send_one
from queues.values import Delivery, NewMessage, Stored

# Message ids carry the server's own time, so the tests' clock starts there and only moves on.
NOW = timezone.now()
_numbers = count(1)


def after(**span: float) -> datetime:
    return NOW + timedelta(**span)


def new_team(name: str | None = None) -> Team:
    return Team.objects.create(name=name or f"team-{next(_numbers)}")


def new_queue(team: Team | None = None, **settings: Any) -> Queue:
    settings.setdefault("name", f"queue-{next(_numbers)}")
    return queues.create(team or new_team(), **settings)[0]


def fifo_queue(team: Team | None = None, **settings: Any) -> Queue:
    return new_queue(team, mode="fifo", **settings)


def new_topic(team: Team | None = None, name: str = "events") -> Topic:
    return topics.create(team or new_team(), name)[0]


def reloaded(queue: Queue) -> Queue:
    """The queue as the next request finds it."""
    return queues.find(queue.team, queue.public_id)


def ready_message(queue: Queue, data: str = "hello", now: datetime = NOW, **fields: Any) -> str:
    """A message that waits for a consumer; answers its data, by which tests tell messages apart."""
    send(queue, NewMessage(data, **fields), now)
    return data


def ready_messages(queue: Queue, *data: str) -> None:
    for text in data:
        ready_message(queue, text)


def line_up(queue: Queue, *data: str, now: datetime = NOW, **fields: Any) -> list[Stored]:
    """Messages of a FIFO queue; the first letter of each names its group."""
    return [send_one(queue, NewMessage(text, group_id=text[0], **fields), now) for text in data]


def in_flight_message(queue: Queue, data: str = "hello", now: datetime = NOW, **fields: Any) -> Delivery:
    """A message that a consumer holds."""
    ready_message(queue, data, now, **fields)
    [delivery] = receive(queue, now=now)
    return delivery


def dead_letter(queue: Queue, data: str = "poison", now: datetime = NOW) -> Queue:
    """Let a message use up its deliveries, and answer the dead-letter queue it is in now."""
    ready_message(queue, data, now)
    while receive(queue, visibility_timeout=0, now=now):
        pass
    dlq = reloaded(queue).dlq
    assert dlq is not None
    return dlq


def data_of(deliveries: list[Delivery]) -> list[str]:
    return [delivery.data for delivery in deliveries]


def received(queue: Queue, limit: int = 10, now: datetime = NOW) -> list[str]:
    """What a consumer gets who asks now, by its data."""
    return data_of(receive(queue, limit, now=now))


def finished(queue: Queue, *deliveries: Delivery, now: datetime = NOW) -> None:
    """What a consumer holds is done."""
    results = ack(queue, [delivery.receipt_handle for delivery in deliveries], now)
    assert [result.error for result in results] == [None] * len(deliveries)
