"""Twenty thousand messages from eight producers to sixteen consumers: none lost, none twice.

A real gunicorn and a real connection for each client: what the database promises must survive the pools,
the workers and their greenlets as well.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from threading import Event

from queues import ids
from queues.models import Outcome, Queue
from tests.concurrency.client import Client, Connect, clients_at_once
from tests.concurrency.ledger import ended, live

PRODUCERS, CONSUMERS = 8, 16
SINGLE, BATCHES, BATCH = 100, 120, 20
EACH = SINGLE + BATCHES * BATCH


def produce(queue_id: str, client: Client) -> list[str]:
    """The ids of what was accepted."""
    accepted = []
    for _ in range(SINGLE):
        answer = client.send(queue_id, "hello")
        assert answer.status == 201, answer
        accepted.append(answer.body["message_id"])
    for _ in range(BATCHES):
        answer = client.send_batch(queue_id, ["hello"] * BATCH)
        accepted += [result["message_id"] for result in answer.body["results"]]
    return accepted


def consume(queue_id: str, everything_is_sent: Event, client: Client) -> list[str]:
    """The ids of what was acked; ends when the queue stays empty."""
    acked: list[str] = []
    while True:
        last_look = everything_is_sent.is_set()
        messages = client.receive(queue_id, BATCH, wait_seconds=1)
        if messages:
            acked += ack(client, queue_id, messages)
        elif last_look:
            return acked


def ack(client: Client, queue_id: str, messages: list[dict]) -> list[str]:
    """One by its id, the others by their receipts; each must be there."""
    by_id, *rest = messages
    assert client.ack_by_id(queue_id, by_id["message_id"]).status == 200
    results = client.ack(queue_id, rest).body["results"] if rest else []
    assert all(result["status"] == 200 for result in results), results
    return [by_id["message_id"], *[result["message_id"] for result in results]]


def test_every_message_is_acked_exactly_once(connect: Connect, make_queue: Callable[..., Queue]) -> None:
    queue = make_queue(visibility_timeout=600)
    everything_is_sent = Event()

    def produce_all(client: Client) -> list[str]:
        try:
            return clients_at_once(connect, *[partial(produce, queue.public_id)] * PRODUCERS)
        finally:
            everything_is_sent.set()

    consumers = [partial(consume, queue.public_id, everything_is_sent)] * CONSUMERS
    handled = Counter(clients_at_once(connect, produce_all, *consumers))

    assert len(handled) == EACH * PRODUCERS == 20_000
    assert set(handled.values()) == {2}  # sent once, acked once
    assert ended(queue, Outcome.ACKED) == {ids.decode("msg", public_id): 1 for public_id in handled}
    assert live(queue) == []
