"""The SQL floor: the statements of the same calls, replayed by pgbench with as many clients and queues."""

from dataclasses import dataclass

from benchmarks import scripts
from benchmarks.http_load import BATCH
from benchmarks.measures import Latency, latency
from benchmarks.stage import CLIENTS, Stage


@dataclass(frozen=True)
class SqlFigures:
    cycles_per_second: float
    messages_per_second: float
    call_ms: dict[str, float]
    cycle_ms: Latency | None
    database_cpu_us_per_cycle: float


def measure(stage: Stage) -> dict[str, SqlFigures]:
    return {
        "1 message": _run(stage, "SQL", 1),
        f"{BATCH} messages": _run(stage, f"SQL, batches of {BATCH}", BATCH),
    }


def _run(stage: Stage, what: str, batch: int) -> SqlFigures:
    script = scripts.cycle(stage.record(stage.queues[0], batch))
    first, last = stage.queues[0].pk, stage.queues[-1].pk
    seconds = stage.plan.seconds
    with stage.progress.step(what, seconds), stage.cpu() as cpu:
        found = stage.pgbench.run(
            script, clients=CLIENTS, seconds=seconds, first_queue=first, last_queue=last
        )
    return SqlFigures(
        cycles_per_second=found.rate,
        messages_per_second=found.rate * batch,
        call_ms=found.statement_ms,
        cycle_ms=latency(found.cycle_ms),
        database_cpu_us_per_cycle=cpu.seconds["database"] / len(found.cycle_ms) * 1e6,
    )
