"""The figures as people read them."""

from collections.abc import Iterator, Sequence

from benchmarks.spark.increments import Increment
from benchmarks.spark.job import JobFigures
from benchmarks.spark.meter import Used
from benchmarks.spark.parts import SizeFigures
from benchmarks.spark.plan import BUCKET, DAYS, QUEUES
from benchmarks.tables import table

MEGABYTE = 1e6


def report(sizes: Sequence[SizeFigures]) -> str:
    chapters = [_whole(sizes), _growth(sizes), _increments(sizes), _agreement(sizes)]
    return "\n\n".join("\n".join(lines) for lines in chapters)


def _whole(sizes: Sequence[SizeFigures]) -> Iterator[str]:
    yield f"All of the log: {QUEUES} queues, {DAYS} days, buckets of {BUCKET} (peak memory in MB, together)"
    header = ["", "rows", "seconds", "rows/s", "CPU s", "database CPU s", "peak MB", "CPU ÷ job's"]
    yield table(header, [row for size in sizes for row in _rows(size)])
    yield "  The job also makes sketches, ages, leases, groups, errors and advice, which the query does not."
    yield "  With a lake, it also writes its history there."
    for size in sizes:
        yield f"  The lake of {size.rows:,} rows: {size.lake_bytes / MEGABYTE:,.0f} MB."


def _rows(size: SizeFigures) -> Iterator[list[str]]:
    whole = _all_cpu(size.job)
    yield _job_row("the job, from the table", size.rows, size.job, whole)
    # The server's own processes did it: their CPU is the database's.
    yield _row("PostgreSQL, one query", size.rows, size.postgres, None, size.postgres.cpu_seconds / whole)
    yield _job_row("archiving to the lake", size.rows, size.archive, whole)
    yield _job_row("the job, from the lake", size.rows, size.job_on_lake, whole)
    yield _row("DuckDB, one query on the lake", size.rows, size.duckdb, None, size.duckdb.cpu_seconds / whole)


def _job_row(name: str, rows: int, job: JobFigures, whole: float) -> list[str]:
    return _row(name, rows, job.used, job.database_cpu_seconds, _all_cpu(job) / whole)


def _row(name: str, rows: int, used: Used, database: float | None, ratio: float) -> list[str]:
    return [
        name,
        f"{rows:,}",
        f"{used.seconds:.1f}",
        f"{rows / used.seconds:,.0f}",
        f"{used.cpu_seconds:.1f}",
        "-" if database is None else f"{database:.1f}",
        f"{used.peak_bytes / MEGABYTE:,.0f}",
        f"{ratio:.2f}",
    ]


def _all_cpu(job: JobFigures) -> float:
    return job.used.cpu_seconds + job.database_cpu_seconds


def _growth(sizes: Sequence[SizeFigures]) -> Iterator[str]:
    """Each size beside the smallest. Starting Spark is in both, so that less than linear is expected."""
    smallest, *larger = sizes
    for size in larger:
        rows = size.rows / smallest.rows
        seconds = size.job.used.seconds / smallest.job.used.seconds
        cpu = _all_cpu(size.job) / _all_cpu(smallest.job)
        verdict = "at most linear" if max(seconds, cpu) <= rows else "MORE than linear"
        yield (
            f"{rows:.1f} times the rows took the job {seconds:.1f} times the seconds"
            f" and {cpu:.1f} times the CPU: {verdict}."
        )


def _increments(sizes: Sequence[SizeFigures]) -> Iterator[str]:
    yield "Runs that go on from the last one, with as much that is new beside as much as there is"
    header = [
        "",
        "new rows",
        "read",
        "there",
        "seconds",
        "CPU s",
        "÷ all of it",
        "warm: seconds",
        "CPU s",
        "÷ all of it",
    ]
    yield table(header, [_increment_row(size, one) for size in sizes for one in size.increments])
    yield "  They also read the five minutes before again, for rows that came late."


def _increment_row(size: SizeFigures, one: Increment) -> list[str]:
    return [
        f"{one.minutes} min",
        f"{one.new_rows:,}",
        f"{one.warm.stays:,}",
        f"{size.rows:,}",
        *_beside(one.cold, size.job),
        *_beside(one.warm, size.job),
    ]


def _beside(part: JobFigures, whole: JobFigures) -> list[str]:
    return [
        f"{part.used.seconds:.1f}",
        f"{_all_cpu(part):.1f}",
        f"{_all_cpu(part) / _all_cpu(whole):.3f}",
    ]


def _agreement(sizes: Sequence[SizeFigures]) -> Iterator[str]:
    for size in sizes:
        found = ", ".join(f"{name} {number}" for name, number in size.differences.items())
        yield f"Queues and buckets of {size.rows:,} rows for which the answers differ: {found}."
