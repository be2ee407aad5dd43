"""Clients in processes of their own, each with one connection and never more than one open request."""

import multiprocessing
import random
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from benchmarks.errors import CannotMeasure
from benchmarks.http_client import Client
from simplemq.processes import Heartbeat

BATCH = 10
CUSTOMERS = 100  # groups of a FIFO queue
WARM_UP_SECONDS = 1.0
SPARE_SECONDS = 60.0
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Target:
    host: str
    port: int
    api_key: str
    queue_ids: list[str]
    fifo_queue_ids: list[str]
    body: str


@dataclass
class Load:
    """What one client did, or several together: latencies by call, messages acked, its own CPU time."""

    calls: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    messages: int = 0
    cpu_seconds: float = 0.0
    error: str = ""

    def timed(self, call: str, ask: Callable[..., Any], *arguments: Any) -> Any:
        started = time.perf_counter()
        answer = ask(*arguments)
        self.calls[call].append((time.perf_counter() - started) * 1000)
        return answer

    @property
    def requests(self) -> int:
        return sum(len(latencies) for latencies in self.calls.values())

    def add(self, other: "Load") -> None:
        for call, latencies in other.calls.items():
            self.calls[call] += latencies
        self.messages += other.messages
        self.cpu_seconds += other.cpu_seconds


Cycle = Callable[[Client, Target, Load], None]


def probe_cycle(client: Client, target: Target, load: Load) -> None:
    """No database and no domain: what HTTP, Django and this client can do at best."""
    load.timed("healthz", client.get, "/healthz")


def single_cycle(client: Client, target: Target, load: Load) -> None:
    """The load shape of the service's first document: send, receive, ack on a queue picked at random."""
    _cycle(client, load, _some_of(target.queue_ids), {"data": target.body})


def fifo_cycle(client: Client, target: Target, load: Load) -> None:
    """The same on FIFO queues, each with a line for every customer."""
    group_id = f"customer {random.randrange(CUSTOMERS)}"
    _cycle(client, load, _some_of(target.fifo_queue_ids), {"data": target.body, "group_id": group_id})


def batch_cycle(client: Client, target: Target, load: Load) -> None:
    """The same with ten messages in each call."""
    address = _some_of(target.queue_ids)
    load.timed("send", client.post, f"{address}/batch", {"messages": [{"data": target.body}] * BATCH})
    messages = load.timed("receive", client.get, f"{address}?limit={BATCH}")["messages"]
    if messages:
        handles = [message["receipt_handle"] for message in messages]
        load.timed("ack", client.post, f"{address}/ack", {"receipt_handles": handles})
        load.messages += len(messages)


def run(cycle: Cycle, target: Target, *, clients: int, seconds: float, heartbeat: Heartbeat) -> Load:
    """All clients together, after a moment to warm up."""
    start = SPAWN.Barrier(clients)
    total = Load()
    with _started(cycle, target, seconds, start, clients) as listeners:
        deadline = time.monotonic() + WARM_UP_SECONDS + seconds + SPARE_SECONDS
        for listener in listeners:
            total.add(_report(listener, deadline, heartbeat))
    return total


@contextmanager
def _started(
    cycle: Cycle, target: Target, seconds: float, start: Any, clients: int
) -> Iterator[list[Connection]]:
    processes: list[BaseProcess] = []
    listeners: list[Connection] = []
    try:
        for _ in range(clients):
            listener, speaker = SPAWN.Pipe(duplex=False)
            process = SPAWN.Process(
                target=_client, args=(cycle, target, seconds, start, speaker), daemon=True
            )
            with _ctrl_c_blocked():
                process.start()
            processes.append(process)
            listeners.append(listener)
            speaker.close()
        yield listeners
    finally:
        for process in processes:
            process.terminate()
            process.join()


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Processes started meanwhile never hear it: it is for us to end them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _report(listener: Connection, deadline: float, heartbeat: Heartbeat) -> Load:
    while not listener.poll(0.1):
        heartbeat()
        if time.monotonic() > deadline:
            raise CannotMeasure("a client of the load generator does not come back.")
    try:
        load: Load = listener.recv()
    except EOFError:
        raise CannotMeasure("a client of the load generator died.") from None
    if load.error:
        raise CannotMeasure(f"a request failed: {load.error}")
    return load


def _client(cycle: Cycle, target: Target, seconds: float, start: Any, speaker: Connection) -> None:
    load = Load()
    try:
        start.wait()  # connected before, we might wait longer than the service keeps an idle connection
        client = Client(target.host, target.port, target.api_key)
        _repeat(cycle, client, target, Load(), WARM_UP_SECONDS)
        _repeat(cycle, client, target, load, seconds)
    except Exception as problem:
        start.abort()
        load.error = repr(problem)
    speaker.send(load)


def _repeat(cycle: Cycle, client: Client, target: Target, load: Load, seconds: float) -> None:
    used, until = time.process_time(), time.monotonic() + seconds
    while time.monotonic() < until:
        cycle(client, target, load)
    load.cpu_seconds = time.process_time() - used


def _cycle(client: Client, load: Load, address: str, message: dict[str, str]) -> None:
    load.timed("send", client.post, address, message)
    received = load.timed("receive", client.get, address)
    if "message_id" in received:
        load.timed("ack", client.delete, f"{address}/{received['message_id']}")
        load.messages += 1


def _some_of(queue_ids: list[str]) -> str:
    return f"/api/queues/{random.choice(queue_ids)}/messages"
