"""A consumer dies with messages in its hands; another one gets them when the lease is over.

A real process that is killed with no chance to give anything back, and a lease that runs in real time.
"""

import subprocess
import sys
import time
from collections.abc import Callable

from queues import ids
from queues.models import Queue
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.concurrency.client import Client, Connect
from tests.simplemq.gunicorn_server import ROOT

LEASE = 3


def lease_and_die(client: Client, queue: Queue, count: int) -> set[str]:
    """The ids of the messages that a consumer held when it was killed."""
    bearer = client.headers["Authorization"].split()[1]
    arguments = [str(client.connection.port), bearer, queue.public_id, str(count), str(LEASE)]
    command = [sys.executable, "-m", "tests.concurrency.killed_consumer", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as consumer:
        *held, last_word = [consumer.stdout.readline().strip() for _ in range(count + 1)]
        consumer.kill()
    assert last_word == "leased"
    return set(held)


def test_its_messages_come_back_to_another(connect: Connect, make_queue: Callable[..., Queue]) -> None:
    queue = make_queue()
    sent = {ids.message_id(uid) for uid in send_many(queue, [NewMessage("hello")] * 5)}
    with connect() as client:
        assert lease_and_die(client, queue, 5) == sent
        killed_at = time.monotonic()
        assert client.receive(queue.public_id, 5) == []
        again = []
        while len(again) < 5 and time.monotonic() < killed_at + LEASE + 5:
            again += client.receive(queue.public_id, 5, wait_seconds=1)
        assert {message["message_id"] for message in again} == sent
        assert {message["delivery_count"] for message in again} == {2}
        assert {result["status"] for result in client.ack(queue.public_id, again).body["results"]} == {200}
