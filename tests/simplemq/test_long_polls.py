"""Long polls on a real server: real sockets, another process than the sender's, and a pool of ten."""

import asyncio
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest
from django.db import connection, connections

from queues.models import Message, Queue, Team
from queues.operations import queues
from queues.operations.keys import IssuedKey, create_api_key, revoke_api_key
from queues.operations.send import send, send_many
from queues.values import NewMessage
from tests.simplemq.gunicorn_server import PATIENCE, Server, database_url, running, until

WORKER_CLASSES = [["-k", "gevent"], ["-k", "gthread", "--threads", "6"]]
EITHER_WORKER = pytest.mark.parametrize("worker", WORKER_CLASSES, ids=["gevent", "gthread"])
EMPTY_RECEIVES = re.compile(r'^simplemq_dequeue_total\{outcome="empty".*\} ([0-9.]+)$', re.MULTILINE)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    return Team.objects.create(name="payments")


@pytest.fixture
def key(team: Team) -> IssuedKey:
    return create_api_key(team, "worker", ["receive"])


@pytest.fixture
def queue(team: Team) -> Queue:
    return queues.create(team, name="orders")[0]


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def serving(*options: str) -> Any:
    return running("simplemq.wsgi", *options, DATABASE_URL=database_url(), SIMPLEMQ_DB_POOL_MAX="10")


def path_of(queue: Queue, wait_seconds: int = 20) -> str:
    return f"/api/queues/{queue.public_id}/messages?wait_seconds={wait_seconds}"


def parked(server: Server, times: int) -> Callable[[], bool]:
    """Whether so many receives have found nothing; the next thing each of them does is to wait."""

    def found_nothing() -> bool:
        found = EMPTY_RECEIVES.findall(server.get("/metrics").text)
        return sum(float(number) for number in found) >= times

    return found_nothing


class Client:
    def __init__(self, server: Server, key: IssuedKey, threads: ThreadPoolExecutor) -> None:
        self.server, self.key, self.threads = server, key, threads
        self.parked = 0

    def park(self, queue: Queue, wait_seconds: int = 20) -> Future[httpx.Response]:
        headers = {"Authorization": f"Bearer {self.key.bearer}"}
        waiting = self.threads.submit(self.server.get, path_of(queue, wait_seconds), **headers)
        self.note_parked()
        return waiting

    def park_and_hang_up(self, queue: Queue) -> None:
        with socket.create_connection(("127.0.0.1", self.server.port)) as line:
            head = f"GET {path_of(queue)} HTTP/1.1\r\nHost: localhost\r\n"
            line.sendall(f"{head}Authorization: Bearer {self.key.bearer}\r\n\r\n".encode())
            self.note_parked()

    def note_parked(self) -> None:
        self.parked += 1
        until(parked(self.server, self.parked))


@EITHER_WORKER
def test_it_wakes_for_a_message_of_another_process(
    worker: list[str], queue: Queue, key: IssuedKey, threads: ThreadPoolExecutor
) -> None:
    with serving(*worker) as server:
        waiting = Client(server, key, threads).park(queue)
        send(queue, NewMessage("x"))
        assert waiting.result().json()["data"] == "x"


@EITHER_WORKER
def test_a_client_that_hung_up_gets_nothing(
    worker: list[str], queue: Queue, key: IssuedKey, threads: ThreadPoolExecutor
) -> None:
    with serving(*worker) as server:
        client = Client(server, key, threads)
        client.park_and_hang_up(queue)
        client.park_and_hang_up(queue)
        there = client.park(queue)
        send(queue, NewMessage("x"))
        assert there.result().json()["data"] == "x"
    assert Message.objects.get().delivery_count == 1


@EITHER_WORKER
def test_everyone_is_answered_when_it_stops(
    worker: list[str], queue: Queue, key: IssuedKey, threads: ThreadPoolExecutor
) -> None:
    with serving(*worker) as server:
        client = Client(server, key, threads)
        waiting = [client.park(queue) for _ in range(3)]
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        answers = [each.result() for each in waiting]
        assert time.monotonic() - began < 5
        assert [(each.status_code, each.json()) for each in answers] == [(200, {"message": None})] * 3
        assert server.process.wait(10) == 0


def test_a_key_that_was_revoked_meanwhile_gets_nothing(
    queue: Queue, key: IssuedKey, threads: ThreadPoolExecutor
) -> None:
    with serving() as server:
        waiting = Client(server, key, threads).park(queue)
        revoke_api_key(key.key)
        send(queue, NewMessage("x"))
        assert waiting.result().status_code == 401
    assert Message.objects.get().delivery_count == 0


def test_a_queue_that_was_deleted_meanwhile_is_not_found(
    queue: Queue, key: IssuedKey, threads: ThreadPoolExecutor
) -> None:
    with serving() as server:
        waiting = Client(server, key, threads).park(queue)
        queues.delete(queue)
        assert waiting.result().status_code == 404


def test_it_gets_over_the_loss_of_every_connection(
    queue: Queue, key: IssuedKey, threads: ThreadPoolExecutor
) -> None:
    with serving() as server:
        waiting = Client(server, key, threads).park(queue)
        connections.close_all()
        connection.close_pool()
        with psycopg.connect(database_url()) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        send(queue, NewMessage("x"))
        assert waiting.result().json()["data"] == "x"


class TestFiveHundred:
    """500 waiters on 50 queues, with ten connections to the database among them."""

    WAITERS, QUEUES = 500, 50

    @pytest.fixture
    def fifty(self, team: Team) -> list[Queue]:
        return [queues.create(team, name=f"queue-{number}")[0] for number in range(self.QUEUES)]

    def test_none_fails_for_want_of_a_connection(self, fifty: list[Queue], key: IssuedKey) -> None:
        # In a thread of its own: a browser that another test left open keeps a loop in this one.
        with serving() as server, ThreadPoolExecutor(1) as thread:
            answers = thread.submit(asyncio.run, self.all_wait(server, fifty, key)).result()
        assert {answer.status_code for answer in answers} == {200}
        texts = [answer.json().get("data") for answer in answers]
        assert sorted(texts) == sorted(f"{n}" for n in range(self.WAITERS))

    async def all_wait(self, server: Server, fifty: list[Queue], key: IssuedKey) -> list[httpx.Response]:
        headers = {"Authorization": f"Bearer {key.bearer}"}
        limits = httpx.Limits(max_connections=None)
        address = f"http://127.0.0.1:{server.port}"
        async with httpx.AsyncClient(
            base_url=address, headers=headers, timeout=PATIENCE, limits=limits
        ) as client:
            waiting = [asyncio.create_task(client.get(path_of(queue))) for queue in fifty * 10]
            await asyncio.to_thread(until, parked(server, self.WAITERS))
            await asyncio.to_thread(self.send_to_all, fifty)
            return list(await asyncio.gather(*waiting))

    def send_to_all(self, fifty: list[Queue]) -> None:
        for number, queue in enumerate(fifty):
            send_many(queue, [NewMessage(str(number + self.QUEUES * place)) for place in range(10)])
        connections.close_all()  # this thread's own


def test_those_who_wait_cost_twenty_statements_a_second(
    queue: Queue, key: IssuedKey, threads: ThreadPoolExecutor
) -> None:
    """Together. What they asked before they waited is counted late by the server, hence several looks."""
    with serving() as server:
        client = Client(server, key, threads)
        waiting = [client.park(queue) for _ in range(4)]
        with psycopg.connect(database_url(), autocommit=True) as observer:
            assert any(transactions_in(2, observer) <= 2 * 20 + 10 for _ in range(6))
        send_many(queue, [NewMessage("x")] * 4)
        assert [answer.result().json()["data"] for answer in waiting] == ["x"] * 4


def transactions_in(seconds: float, observer: psycopg.Connection) -> int:
    before = transactions(observer)
    time.sleep(seconds)
    return transactions(observer) - before


def transactions(observer: psycopg.Connection) -> int:
    counted = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
    [count] = observer.execute(counted).fetchone() or [0]
    return int(count)
