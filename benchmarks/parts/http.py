"""The whole service under the load shape of its first document."""

from dataclasses import dataclass

from benchmarks import http_load
from benchmarks.http_load import BATCH, Cycle, Load
from benchmarks.measures import Latency, latency
from benchmarks.stage import CLIENTS, Stage


@dataclass(frozen=True)
class HttpFigures:
    requests_per_second: float
    messages_per_second: float
    latency_ms: dict[str, Latency | None]
    cpu_us_per_request: dict[str, float]


def measure(stage: Stage) -> dict[str, HttpFigures]:
    plan = stage.plan
    return {
        "healthz": _run(stage, "HTTP without a database", http_load.probe_cycle, plan.probe_seconds),
        "1 message": _run(stage, "HTTP", http_load.single_cycle, plan.seconds),
        "1 message, FIFO": _run(stage, "HTTP, FIFO", http_load.fifo_cycle, plan.seconds),
        f"{BATCH} messages": _run(stage, f"HTTP, batches of {BATCH}", http_load.batch_cycle, plan.seconds),
    }


def _run(stage: Stage, what: str, cycle: Cycle, seconds: float) -> HttpFigures:
    with stage.progress.step(what, seconds), stage.cpu() as cpu:
        load = http_load.run(
            cycle, stage.target, clients=CLIENTS, seconds=seconds, heartbeat=stage.progress.heartbeat
        )
    return _figures(load, seconds, cpu.seconds)


def _figures(load: Load, seconds: float, cpu: dict[str, float]) -> HttpFigures:
    # The meter also saw the warm-up, the clients' own clocks did not.
    measured_share = seconds / (seconds + http_load.WARM_UP_SECONDS)
    used = {name: value * measured_share for name, value in cpu.items()} | {"client": load.cpu_seconds}
    return HttpFigures(
        requests_per_second=load.requests / seconds,
        messages_per_second=load.messages / seconds,
        latency_ms={call: latency(values) for call, values in load.calls.items()},
        cpu_us_per_request={name: value / load.requests * 1e6 for name, value in used.items()},
    )
