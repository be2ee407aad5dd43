"""The figures as people read them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.spark.increments import Increment
from benchmarks.spark.job import JobFigures
from benchmarks.spark.meter import Used
from benchmarks.spark.parts import LakeFigures, TableFigures
from benchmarks.spark.plan import BUCKET, DAYS, QUEUES
from benchmarks.tables import table

MEGABYTE = 1e6
COSTS = ["rows", "seconds", "rows/s", "CPU s", "of the database", "peak MB", "CPU ÷ job's"]


def report(found: Mapping[str, Any]) -> str:
    tables, largest = found["tables"], found["tables"][-1]
    chapters = [
        _tables(tables),
        _lake(found["lake"], largest),
        _increments(found["increments"], largest),
        _verdicts(tables, found["lake"]),
    ]
    return "\n\n".join("\n".join(lines) for lines in chapters)


def _tables(sizes: Sequence[TableFigures]) -> Iterator[str]:
    yield f"All of the log, from its table: {QUEUES} queues, {DAYS} days, buckets of {BUCKET}"
    yield table(["", *COSTS], [row for size in sizes for row in _table_rows(size)])
    yield "  The job also makes sketches, ages, leases, groups, errors and advice, which the query does not."


def _table_rows(size: TableFigures) -> Iterator[list[str]]:
    yield ["the job", *_job_costs(size.job, size)]
    yield ["PostgreSQL, one query", *_costs(size.postgres, size.postgres.cpu_seconds, size)]


def _lake(lake: LakeFigures, whole: TableFigures) -> Iterator[str]:
    yield f"All of the log, from the lake: {lake.log_bytes / MEGABYTE:,.0f} MB of Parquet"
    rows = [
        ["archiving it, with the history", *_job_costs(lake.archive, whole)],
        ["the job, and its history to the lake", *_job_costs(lake.job, whole)],
        ["DuckDB, one query", *_costs(lake.duckdb, 0.0, whole)],
    ]
    yield table(["", *COSTS], rows)


def _job_costs(job: JobFigures, whole: TableFigures) -> list[str]:
    used = job.used
    together = Used(used.seconds, _cpu(job), used.peak_bytes)
    return _costs(together, job.database_cpu_seconds, whole)


def _costs(used: Used, database: float, whole: TableFigures) -> list[str]:
    return [
        f"{whole.rows:,}",
        f"{used.seconds:.1f}",
        f"{whole.rows / used.seconds:,.0f}",
        f"{used.cpu_seconds:.1f}",
        f"{database:.1f}",
        f"{used.peak_bytes / MEGABYTE:,.0f}",
        f"{used.cpu_seconds / _cpu(whole.job):.2f}",
    ]


def _cpu(job: JobFigures) -> float:
    return job.used.cpu_seconds + job.database_cpu_seconds


def _increments(increments: Sequence[Increment], whole: TableFigures) -> Iterator[str]:
    yield f"Runs that go on from the last one, beside {whole.rows:,} rows that are there"
    header = ["", "new rows", "read", "seconds", "CPU s", "CPU ÷ all of it"]
    yield table(header, [row for one in increments for row in _increment_rows(one, whole)])
    yield "  They read the five minutes before again, and with them what the runs before had that was new."


def _increment_rows(one: Increment, whole: TableFigures) -> Iterator[list[str]]:
    for name, job in (("Spark has to start", one.cold), ("Spark is warm", one.warm)):
        yield [
            f"{one.minutes} min, {name}",
            f"{one.new_rows:,}",
            f"{job.stays:,}",
            f"{job.used.seconds:.1f}",
            f"{_cpu(job):.1f}",
            f"{_cpu(job) / _cpu(whole.job):.3f}",
        ]


def _verdicts(sizes: Sequence[TableFigures], lake: LakeFigures) -> Iterator[str]:
    smallest, *larger = sizes
    for size in larger:
        yield _growth(smallest, size)
    different = {f"PostgreSQL on {size.rows:,} rows": size.differences for size in sizes} | lake.differences
    told = ", ".join(f"{name} {number}" for name, number in different.items())
    yield f"Queues and buckets of which something else is said than by the job: {told}."


def _growth(smallest: TableFigures, size: TableFigures) -> str:
    """Starting Spark is in both, so that less than linear is expected."""
    rows = size.rows / smallest.rows
    seconds = size.job.used.seconds / smallest.job.used.seconds
    cpu = _cpu(size.job) / _cpu(smallest.job)
    verdict = "at most linear" if max(seconds, cpu) <= rows else "MORE than linear"
    return (
        f"{rows:.1f} times the rows took the job {seconds:.1f} times the seconds"
        f" and {cpu:.1f} times the CPU: {verdict}."
    )
