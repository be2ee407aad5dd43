"""One hot queue while a transaction stays open elsewhere, beside the plain design, slice by slice in turn.

Nothing that was removed since the transaction began can be vacuumed. Each design is under load for a minute
of it; the minutes are shared out in slices, so that a noisy neighbour disturbs both.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean

import psycopg
from django.db import connection

from benchmarks import floors, scripts
from benchmarks.errors import CannotMeasure
from benchmarks.plan import SLICES, SLICES_BEFORE
from benchmarks.scripts import Script
from benchmarks.stage import Stage

CLIENTS = 8
PLAIN_TABLE = (scripts.PLAIN / "create.sql").read_text()


@dataclass(frozen=True)
class Slice:
    rate: float
    database_cpu_us: float
    statement_ms: dict[str, float]


@dataclass
class HeldFigures:
    before: list[Slice] = field(default_factory=list)
    held: list[Slice] = field(default_factory=list)

    @property
    def rate_before(self) -> float:
        return fmean(part.rate for part in self.before)

    @property
    def cpu_before(self) -> float:
        return fmean(part.database_cpu_us for part in self.before)

    @property
    def last(self) -> Slice:
        return self.held[-1]

    @property
    def kept(self) -> float:
        return self.last.rate / self.rate_before

    @property
    def kept_per_cpu_second(self) -> float:
        """What a machine of its own would keep: as much for the same CPU time of the database."""
        return self.cpu_before / self.last.database_cpu_us

    @property
    def surely_kept(self) -> float:
        """The worse of the two: neighbours who disturb the slices before would flatter the clock's."""
        return min(self.kept, self.kept_per_cpu_second)


def measure(stage: Stage) -> dict[str, dict[str, HeldFigures]]:
    """Cycles, and polls of the empty queue, which is what a queue is while its consumers keep up."""
    _prepare_tables()
    recording = stage.record(stage.hot_queue, 1)
    receive = recording.only("receive")
    cycles = {"ours": floors.cycle(recording), "plain": scripts.plain_cycle(recording)}
    polls = {"ours": floors.cycle(receive), "plain": scripts.plain_cycle(receive)}
    cycled = {name: HeldFigures() for name in cycles}
    polled = {name: HeldFigures() for name in polls}
    for name in [*polls] * SLICES_BEFORE:
        polled[name].before.append(_run(stage, f"{name}, empty", polls[name], stage.plan.probe_seconds))
        cycled[name].before.append(_run(stage, f"{name}, before", cycles[name], stage.plan.slice_seconds))
    with _open_transaction(stage.service.database_url):
        for name in [*cycles] * SLICES:
            cycled[name].held.append(_run(stage, f"{name}, held", cycles[name], stage.plan.slice_seconds))
        for name, script in polls.items():
            polled[name].held.append(_run(stage, f"{name}, held, empty", script, stage.plan.probe_seconds))
    return {"cycles": cycled, "polls": polled}


def _prepare_tables() -> None:
    """Without what the parts before have left behind. No ANALYZE: that is not ours to choose."""
    with connection.cursor() as cursor:
        cursor.execute(PLAIN_TABLE)
        cursor.execute("VACUUM FULL message")


def _run(stage: Stage, what: str, script: Script, seconds: float) -> Slice:
    queue = stage.hot_queue
    with stage.progress.step(what, seconds), stage.cpu() as cpu:
        found = stage.pgbench.run(
            script, clients=CLIENTS, seconds=seconds, first_queue=queue.pk, last_queue=queue.pk
        )
    return Slice(found.rate, cpu.seconds["database"] / len(found.cycle_ms) * 1e6, found.statement_ms)


@contextmanager
def _open_transaction(url: str) -> Iterator[None]:
    with psycopg.connect(url) as holder:
        holder.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        holder.execute("SELECT count(*) FROM queue")
        _make_sure_it_holds(holder.info.backend_pid)
        yield


def _make_sure_it_holds(pid: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT backend_xmin IS NOT NULL FROM pg_stat_activity WHERE pid = %s", [pid])
        if cursor.fetchone() != (True,):
            raise CannotMeasure("the open transaction holds no snapshot.")
