"""A bounded queue takes exactly as many messages as its size, whoever races for the last place.

Real threads with real connections: only they can meet each other's locks on the free places.
"""

import uuid
from collections.abc import Callable
from functools import partial

import pytest

from queues.errors import QueueFull
from queues.models import Message, Queue, State
from queues.operations import queues
from queues.operations.ack import ack, ack_by_id
from queues.operations.dead_letters import bury
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.values import NewMessage
from tests.concurrency.ledger import live, places
from tests.concurrency.together import at_once

SIZE = 100
PRODUCERS = 32


@pytest.fixture
def queue(make_queue: Callable[..., Queue]) -> Queue:
    return make_queue(queue_size=SIZE)


def produce(queue: Queue, attempts: int) -> list[uuid.UUID]:
    """The ids of the messages that were accepted."""
    accepted = []
    for _ in range(attempts):
        try:
            accepted.append(send(queue, NewMessage("hello")))
        except QueueFull:
            continue
    return accepted


def race(queue: Queue, attempts: int) -> list[uuid.UUID]:
    produced = at_once(*[partial(produce, queue, attempts)] * PRODUCERS)
    return [uid for accepted in produced for uid in accepted]


def test_it_accepts_exactly_as_many_as_fit(queue: Queue) -> None:
    accepted = race(queue, attempts=5)
    assert len(accepted) == SIZE
    assert sorted(accepted) == sorted(live(queue))
    assert places(queue) == (SIZE, 0)


def test_it_accepts_exactly_as_many_again_as_were_acked(queue: Queue) -> None:
    send_many(queue, [NewMessage("hello")] * SIZE)
    ack(queue, [delivery.receipt_handle for delivery in receive(queue, 10)])
    assert len(race(queue, attempts=1)) == 10
    assert places(queue) == (SIZE, 0)


def test_batches_fill_it_up_to_the_last_place(queue: Queue) -> None:
    stored = at_once(*[lambda: len(send_many(queue, [NewMessage("hello")] * 7))] * PRODUCERS)
    assert sum(stored) == SIZE
    assert places(queue) == (SIZE, 0)


def test_a_dead_letter_queue_takes_exactly_as_many_as_fit(
    queue: Queue, make_queue: Callable[..., Queue]
) -> None:
    dlq = make_queue("dead", queue_size=30)
    queue = queues.update(queue, dlq=dlq)
    send_many(queue, [NewMessage("poison")] * SIZE)
    Message.objects.filter(queue_id=queue.pk).update(state=State.EXHAUSTED)
    assert sum(at_once(*[lambda: bury(queue, 10)] * 10)) == 30
    assert places(dlq) == (30, 0)
    assert places(queue) == (SIZE - 30, 30)


def test_it_gives_back_one_place_for_one_message_that_many_ack(queue: Queue) -> None:
    send(queue, NewMessage("hello"))
    [delivery] = receive(queue)
    results = at_once(*[lambda: ack(queue, [delivery.receipt_handle])] * 8)
    assert sum(result.error is None for [result] in results) == 1
    assert places(queue) == (0, SIZE)


def test_its_free_places_and_messages_add_up_at_every_moment(queue: Queue) -> None:
    seen = set()

    def consume() -> None:
        for delivery in receive(queue, 3):
            ack_by_id(queue, delivery.message_id)

    def observe() -> None:
        seen.add(sum(places(queue)))

    at_once(*[partial(produce, queue, 200)] * 8, meanwhile=[observe, *[consume] * 6])
    assert seen == {SIZE}
    assert sum(places(queue)) == SIZE
