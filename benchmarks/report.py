"""The figures as people read them."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks import long_poll
from benchmarks.measures import Latency
from benchmarks.parts.held import HeldFigures
from benchmarks.parts.http import HttpFigures
from benchmarks.parts.sql import SqlFigures
from benchmarks.tables import table

REQUIRED_KEPT = 0.5
KEPT = ["kept", "CPU before", "CPU last", "kept per CPU"]


def report(found: Mapping[str, Any]) -> str:
    return "\n\n".join("\n".join(lines) for lines in _chapters(found))


def _chapters(found: Mapping[str, Any]) -> Iterator[Iterator[str]]:
    if "http" in found:
        yield http_report(found["http"])
    if "sql" in found:
        yield sql_report(found["sql"])
    if "http" in found and "sql" in found:
        yield ratio_report(found["http"], found["sql"])
    if "held" in found:
        yield held_report(found["held"])
    if "long_poll" in found:
        yield long_poll.report(found["long_poll"])


def http_report(figures: Mapping[str, HttpFigures]) -> Iterator[str]:
    yield "HTTP: 10 clients, 15 queues, send → receive → ack (latencies in ms, CPU in µs per request)"
    header = ["", "requests/s", "call", "mean", "p50", "p95", "p99", "web CPU", "database CPU", "client CPU"]
    yield table(header, [row for name, one in figures.items() for row in _http_rows(name, one)])
    yield _ceiling(figures["healthz"])


def _http_rows(name: str, one: HttpFigures) -> Iterator[list[str]]:
    cpu = [f"{one.cpu_us_per_request[part]:.0f}" for part in ("web", "database", "client")]
    start, end = [name, f"{one.requests_per_second:.0f}"], cpu
    for call, latency in one.latency_ms.items():
        yield [*start, call, *_latency(latency), *end]
        start, end = ["", ""], ["", "", ""]


def _ceiling(probe: HttpFigures) -> str:
    """What the clients could ask for if the answers cost nothing."""
    alone = 1e6 / probe.cpu_us_per_request["client"]
    return (
        f"  The load generator's own ceiling is about {alone:.0f} requests/s for each CPU it has to itself."
    )


def _latency(latency: Latency | None) -> list[str]:
    if latency is None:
        return ["-"] * 4
    return [f"{value:.2f}" for value in (latency.mean, latency.p50, latency.p95, latency.p99)]


def sql_report(figures: Mapping[str, SqlFigures]) -> Iterator[str]:
    yield "SQL floor: the same statements in pgbench, 10 clients, 15 queues (ms, CPU in µs per cycle)"
    header = ["", "cycles/s", "send", "receive", "ack", "cycle p50", "p95", "p99", "database CPU"]
    yield table(header, [_sql_row(name, one) for name, one in figures.items()])


def _sql_row(name: str, one: SqlFigures) -> list[str]:
    calls = [f"{one.call_ms[call]:.2f}" for call in ("send", "receive", "ack")]
    cpu = f"{one.database_cpu_us_per_cycle:.0f}"
    return [name, f"{one.cycles_per_second:.0f}", *calls, *_latency(one.cycle_ms)[1:], cpu]


def ratio_report(http: Mapping[str, HttpFigures], sql: Mapping[str, SqlFigures]) -> Iterator[str]:
    yield "HTTP beside the floor (messages brought from send to ack, per second)"
    rows = [
        [
            name,
            f"{http[name].messages_per_second:.0f}",
            f"{sql[name].messages_per_second:.0f}",
            f"{ratio(http[name], sql[name]):.2f}",
        ]
        for name in sql
    ]
    yield table(["", "HTTP", "SQL", "HTTP ÷ SQL"], rows)
    yield "  HTTP also looks up the key and the queue for each request, and shares the CPUs with its clients."


def ratio(http: HttpFigures, sql: SqlFigures) -> float:
    return http.messages_per_second / sql.messages_per_second


def held_report(found: Mapping[str, Mapping[str, HeldFigures]]) -> Iterator[str]:
    yield "One hot queue, 8 pgbench clients, a transaction open elsewhere (a second; database CPU in µs each)"
    cycles = found["cycles"]
    slices = [f"held {number}" for number, _ in enumerate(cycles["ours"].held, 1)]
    yield table(["cycles", "before", *slices, *KEPT], [_held_row(*row) for row in cycles.items()])
    yield table(
        ["polls, empty", "before", "held", *KEPT], [_held_row(*row) for row in found["polls"].items()]
    )
    yield "  ours runs with its floors, which each pgbench client keeps for itself and renews once a second."
    verdict = "kept" if cycles["ours"].surely_kept >= REQUIRED_KEPT else "NOT kept"
    yield f"  Required of our cycles in the last slice: {REQUIRED_KEPT:g}, by clock and by CPU: {verdict}."


def _held_row(name: str, one: HeldFigures) -> list[str]:
    rates = [f"{rate:.0f}" for rate in (one.rate_before, *(part.rate for part in one.held))]
    cpu = [f"{used:.0f}" for used in (one.cpu_before, one.last.database_cpu_us)]
    return [name, *rates, f"{one.kept:.2f}", *cpu, f"{one.kept_per_cpu_second:.2f}"]
