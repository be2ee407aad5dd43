"""Producers and consumers that carry on through anything, and remember every promise they were given.

A promise is an answer: 201 means stored, a 200 for a receipt means acked. No answer promises nothing, and
neither does a 5xx.
"""

import http.client
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from tests.concurrency.client import Answer, Client, Connect
from tests.simplemq.gunicorn_server import until

PRODUCERS, CONSUMERS = 4, 6
BATCH = 10
LEASE_SECONDS = 3
PAUSE = 0.05


class Traffic:
    def __init__(self, connect: Connect, queue_id: str) -> None:
        self.connect = connect
        self.queue_id = queue_id
        self.stored: set[str] = set()
        self.acked: dict[str, float] = {}
        self.acked_twice: set[str] = set()
        self.came_back_acked: set[str] = set()
        self.troubles: Counter[str] = Counter()
        self.enough_sent = threading.Event()
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.threads: list[Future[None]] = []

    @contextmanager
    def flowing(self) -> Iterator[None]:
        jobs = [(self.produce, self.enough_sent)] * PRODUCERS + [(self.consume, self.over)] * CONSUMERS
        with ThreadPoolExecutor(len(jobs)) as pool:
            self.threads = [pool.submit(self.carry_on, job, ended) for job, ended in jobs]
            try:
                yield
            finally:
                self.enough_sent.set()
                self.over.set()
        for thread in self.threads:
            thread.result()

    def wait_for_more(self, number: int) -> None:
        """Until so many more messages were stored and so many more were acked."""
        stored, acked = len(self.stored) + number, len(self.acked) + number
        until(lambda: self.still_going() and len(self.stored) >= stored and len(self.acked) >= acked)

    def drain(self, is_empty: Callable[[], bool]) -> None:
        """Nothing more is sent; consumers go on until the queue is empty."""
        self.enough_sent.set()
        until(lambda: self.still_going() and is_empty())

    def still_going(self) -> bool:
        for thread in self.threads:
            if thread.done():
                thread.result()  # raises what went wrong
        return True

    def carry_on(self, job: Callable[[Client], None], ended: threading.Event) -> None:
        """A new connection after every trouble, as any client library would make one."""
        while not ended.is_set():
            try:
                with self.connect() as client:
                    while not ended.is_set():
                        job(client)
            except Trouble as trouble:
                self.note(str(trouble))
            except (OSError, http.client.HTTPException) as error:
                self.note(type(error).__name__)

    def note(self, trouble: str) -> None:
        with self.lock:
            self.troubles[trouble] += 1
        time.sleep(PAUSE)

    def produce(self, client: Client) -> None:
        answer = expect(201, client.send(self.queue_id, "hello"))
        with self.lock:
            self.stored.add(answer.body["message_id"])

    def consume(self, client: Client) -> None:
        asked_at = time.monotonic()
        answer = expect(200, client.receive_up_to(self.queue_id, BATCH, visibility_timeout=LEASE_SECONDS))
        messages = answer.body["messages"]
        with self.lock:
            self.came_back_acked |= {
                message["message_id"]
                for message in messages
                if self.acked.get(message["message_id"], asked_at) < asked_at
            }
        if not messages:
            time.sleep(PAUSE)
            return
        answer = expect(200, client.ack(self.queue_id, messages))
        with self.lock:
            for result in answer.body["results"]:
                if result["status"] == 200:  # else its lease ran out while the service was away
                    self.note_ack(result["message_id"])

    def note_ack(self, message_id: str) -> None:
        if message_id in self.acked:
            self.acked_twice.add(message_id)
        self.acked[message_id] = time.monotonic()


class Trouble(Exception):
    """An answer that promises nothing."""


def expect(status: int, answer: Answer) -> Answer:
    if answer.status >= 500:
        raise Trouble(answer.status)
    assert answer.status == status, answer
    return answer
