"""Producers race over HTTP for the last places of a bounded queue.

A real gunicorn and a real connection for each client: the places are fought over by two processes.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

from queues.models import Queue
from tests.concurrency.client import Answer, Client, Connect, clients_at_once
from tests.concurrency.ledger import places

SIZE = 100
PRODUCERS = 32


def produce(queue_id: str, attempts: int, client: Client) -> list[Answer]:
    return [client.send(queue_id, "hello") for _ in range(attempts)]


def race(connect: Connect, queue: Queue, attempts: int) -> Counter[tuple[int, str | None, bool]]:
    """How often each kind of answer was given: its status, its code, and whether it says when to retry."""
    producers = [partial(produce, queue.public_id, attempts)] * PRODUCERS
    answers = clients_at_once(connect, *producers)
    return Counter((each.status, each.body.get("code"), bool(each.retry_after)) for each in answers)


def test_exactly_as_many_are_accepted_as_fit(connect: Connect, make_queue: Callable[..., Queue]) -> None:
    queue = make_queue(queue_size=SIZE)
    accepted, refused = (201, None, False), (429, "queue_full", True)
    assert race(connect, queue, attempts=4) == {accepted: SIZE, refused: 4 * PRODUCERS - SIZE}
    with connect() as client:
        client.ack(queue.public_id, client.receive(queue.public_id, 10))
    assert race(connect, queue, attempts=1) == {accepted: 10, refused: PRODUCERS - 10}
    assert places(queue) == (SIZE, 0)
