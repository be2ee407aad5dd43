"""The whole service under the load shape of its first document."""

from dataclasses import dataclass

from benchmarks import http_load
from benchmarks.http_client import Client, RequestFailed
from benchmarks.http_load import BATCH, Cycle, Load, Target
from benchmarks.measures import Latency, latency
from benchmarks.stage import CLIENTS, Stage


@dataclass(frozen=True)
class HttpFigures:
    requests_per_second: float
    messages_per_second: float
    latency_ms: dict[str, Latency | None]
    cpu_us_per_request: dict[str, float]
    note: str = ""


def measure(stage: Stage) -> dict[str, HttpFigures]:
    target, plan = stage.target, stage.plan
    batch, note = _batch_cycle(target)
    return {
        "healthz": _run(stage, "HTTP without a database", http_load.probe_cycle, plan.probe_seconds),
        "1 message": _run(stage, "HTTP", http_load.single_cycle, plan.seconds),
        f"{BATCH} messages": _run(stage, f"HTTP, batches of {BATCH}", batch, plan.seconds, note),
    }


def _run(stage: Stage, what: str, cycle: Cycle, seconds: float, note: str = "") -> HttpFigures:
    with stage.progress.step(what, seconds), stage.cpu() as cpu:
        load = http_load.run(
            cycle, stage.target, clients=CLIENTS, seconds=seconds, heartbeat=stage.progress.heartbeat
        )
    return _figures(load, seconds, cpu.seconds, note)


def _figures(load: Load, seconds: float, cpu: dict[str, float], note: str) -> HttpFigures:
    # The meter also saw the warm-up, the clients' own clocks did not.
    measured_share = seconds / (seconds + http_load.WARM_UP_SECONDS)
    used = {name: value * measured_share for name, value in cpu.items()} | {"client": load.cpu_seconds}
    return HttpFigures(
        requests_per_second=load.requests / seconds,
        messages_per_second=load.messages / seconds,
        latency_ms={call: latency(values) for call, values in load.calls.items()},
        cpu_us_per_request={name: value / load.requests * 1e6 for name, value in used.items()},
        note=note,
    )


def _batch_cycle(target: Target) -> tuple[Cycle, str]:
    address = f"/api/queues/{target.queue_ids[0]}/messages/batch"
    try:
        Client(target.host, target.port, target.api_key).post(address, {"messages": [{"data": target.body}]})
    except RequestFailed:
        return http_load.half_batch_cycle, f"no batch send over HTTP yet: {BATCH} single sends instead"
    return http_load.batch_cycle, ""
