"""What is measured for one size of the log, one thing after another on one server."""

from dataclasses import dataclass

from benchmarks.progress import Progress
from benchmarks.spark import increments, job, lake, query
from benchmarks.spark.increments import Increment
from benchmarks.spark.job import JobFigures
from benchmarks.spark.meter import Used
from benchmarks.spark.plan import BUCKET, Plan
from benchmarks.spark.query import BY_DUCKDB, BY_POSTGRES, Span
from benchmarks.spark.server import Server, generate


@dataclass(frozen=True)
class SizeFigures:
    rows: int
    job: JobFigures
    postgres: Used
    archive: JobFigures
    lake_bytes: int
    job_on_lake: JobFigures
    duckdb: Used
    differences: dict[str, int]  # rows of the job that the others have not, or otherwise
    increments: list[Increment]


def measure(server: Server, asked: int, plan: Plan, progress: Progress) -> SizeFigures:
    seconds = plan.steps(asked)
    with progress.step(f"generating {asked:,} messages", seconds["generate"]):
        rows = generate(server, asked, plan)
    with progress.step("the job, all of the log", seconds["job"]):
        from_table = job.run(server, "--bucket", BUCKET)
    span = Span.of_the_last_run(server)
    with progress.step("one query of PostgreSQL", seconds["query"]):
        postgres = query.run_in_postgres(server, span)
    differences = {"PostgreSQL": query.differences(server, BY_POSTGRES)}
    with progress.step("archiving the log", seconds["archive"]):
        archive = lake.archive(server)
    with progress.step("the job, all of the lake", seconds["lake"]):
        from_lake = lake.run_job(server, plan)
    differences["the job on the lake"] = query.differences(server, BY_POSTGRES)
    with progress.step("one query of DuckDB", seconds["duckdb"]):
        duckdb = query.run_in_duckdb(server, span)
    differences["DuckDB"] = query.differences(server, BY_DUCKDB)
    with progress.step("runs that go on from the last one", seconds["increments"]):
        new = increments.measure(server, plan)
    return SizeFigures(
        rows=rows,
        job=from_table,
        postgres=postgres,
        archive=archive,
        lake_bytes=lake.log_bytes(server.lake),
        job_on_lake=from_lake,
        duckdb=duckdb,
        differences=differences,
        increments=new,
    )
