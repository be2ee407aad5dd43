"""How soon a waiting consumer has a message: 500 long polls on 50 queues, 50 messages a second.

The messages are sent from this process, so that no worker of the service hears of them: what is measured is
the slow way, through the probes. `python -m benchmarks.long_poll` runs it alone.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.http_client import END_OF_HEAD, LENGTH
from benchmarks.measures import Latency, latency
from benchmarks.tables import table

if TYPE_CHECKING:
    from benchmarks.stage import Stage
    from queues.models import Queue

WAITERS, QUEUES, MESSAGES_PER_SECOND = 500, 50, 50
# Until all of them wait, and until the last of them has its message.
SETTLE_SECONDS, DRAIN_SECONDS = 5.0, 1.0
REQUIRED_P99_MS = 100


@dataclass(frozen=True)
class LongPollFigures:
    sent: int
    answered: int
    latency_ms: Latency | None
    cpu_share: dict[str, float]


@dataclass
class _Crowd:
    """The waiters. Each asks again as soon as it is answered, as a consumer does."""

    host: str
    port: int
    api_key: str
    queue_ids: list[str]
    answered: dict[int, float] = field(default_factory=dict)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        waiters = [asyncio.create_task(self._poll(number)) for number in range(WAITERS)]
        over = asyncio.create_task(self.over.wait())
        await asyncio.wait([over, *waiters], return_when=asyncio.FIRST_COMPLETED)
        for waiter in waiters:
            waiter.cancel()
        failed = [
            each for each in await asyncio.gather(*waiters, return_exceptions=True) if _is_failure(each)
        ]
        if failed:
            raise failed[0]

    async def _poll(self, number: int) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        path = f"/api/queues/{self.queue_ids[number % QUEUES]}/messages?wait_seconds=20"
        head = f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.api_key}\r\n\r\n"
        try:
            while True:
                writer.write(head.encode())
                self._note(await _answer(reader), time.perf_counter())
        finally:
            writer.close()

    def _note(self, answer: dict[str, str], at: float) -> None:
        if "data" in answer:
            self.answered[int(answer["data"])] = at


async def _answer(reader: asyncio.StreamReader) -> dict[str, str]:
    head = await reader.readuntil(END_OF_HEAD)
    found = LENGTH.search(head)
    body = await reader.readexactly(int(found[1]) if found else 0)
    if head[9:12] != b"200":
        raise RuntimeError(f"a long poll was answered {head[9:12].decode()}: {body.decode()[:500]}")
    return json.loads(body)


def _is_failure(outcome: object) -> bool:
    return isinstance(outcome, Exception)


def measure(stage: "Stage") -> LongPollFigures:
    from benchmarks.service import HOST

    queues = _new_queues()
    crowd = _Crowd(HOST, stage.service.port, stage.service.api_key, [queue.public_id for queue in queues])
    seconds = stage.plan.seconds
    with stage.progress.step(f"{WAITERS} long polls", SETTLE_SECONDS + seconds + DRAIN_SECONDS):
        sent, cpu = asyncio.run(_run(stage, crowd, queues, seconds))
    waits = [max(at - sent[number], 0) * 1e3 for number, at in crowd.answered.items()]
    return LongPollFigures(len(sent), len(waits), latency(waits), cpu)


async def _run(
    stage: "Stage", crowd: _Crowd, queues: "list[Queue]", seconds: float
) -> tuple[dict[int, float], dict[str, float]]:
    waiting = asyncio.create_task(crowd.wait())
    await asyncio.sleep(SETTLE_SECONDS)
    with ThreadPoolExecutor(1) as sender, stage.cpu() as cpu:
        sending = asyncio.get_running_loop().run_in_executor(sender, _send, stage, queues, seconds)
        sent = await sending
    await asyncio.sleep(DRAIN_SECONDS)
    crowd.over.set()
    await waiting
    return sent, {name: used / seconds for name, used in cpu.seconds.items()}


def _send(stage: "Stage", queues: "list[Queue]", seconds: float) -> dict[int, float]:
    """At a steady rate, queue after queue; when each message was committed."""
    from queues.operations.send import send
    from queues.values import NewMessage

    committed: dict[int, float] = {}
    began = time.perf_counter()
    for number in range(int(seconds * MESSAGES_PER_SECOND)):
        stage.progress.heartbeat()
        time.sleep(max(0, began + number / MESSAGES_PER_SECOND - time.perf_counter()))
        send(queues[number % QUEUES], NewMessage(str(number)))
        committed[number] = time.perf_counter()
    return committed


def _new_queues() -> "list[Queue]":
    from queues.models import Team
    from queues.operations.queues import create

    team = Team.objects.get()
    return [create(team, name=f"waited-{n:02}", visibility_timeout=3600)[0] for n in range(QUEUES)]


def report(figures: LongPollFigures) -> Iterator[str]:
    yield f"{WAITERS} long polls on {QUEUES} queues, {MESSAGES_PER_SECOND} messages/s: commit → answer (ms)"
    found = figures.latency_ms
    times = (
        [f"{value:.1f}" for value in (found.mean, found.p50, found.p95, found.p99)] if found else ["-"] * 4
    )
    cpu = [f"{figures.cpu_share[part]:.2f}" for part in ("web", "database")]
    header = ["sent", "answered", "mean", "p50", "p95", "p99", "web CPUs", "database CPUs"]
    yield table(header, [[str(figures.sent), str(figures.answered), *times, *cpu]])
    verdict = "kept" if found and found.p99 <= REQUIRED_P99_MS else "NOT kept"
    yield f"  Required: p99 within {REQUIRED_P99_MS} ms: {verdict}."


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["--only", "long_poll", "--seconds", "20", *sys.argv[1:]]))
