"""What is measured, one thing after another on one server."""

from dataclasses import dataclass

from benchmarks.progress import Progress
from benchmarks.spark import increments, job, lake, query
from benchmarks.spark.increments import Increment
from benchmarks.spark.job import JobFigures
from benchmarks.spark.meter import Used
from benchmarks.spark.plan import BUCKET, Plan
from benchmarks.spark.query import BY_DUCKDB, BY_POSTGRES
from benchmarks.spark.server import Server, generate
from benchmarks.spark.told import told


@dataclass(frozen=True)
class TableFigures:
    """The log in its table. Smaller logs are measured for this only: it is what shows how the cost grows."""

    rows: int
    job: JobFigures
    postgres: Used
    differences: int  # queues and buckets of which the query says something else than the job


@dataclass(frozen=True)
class LakeFigures:
    log_bytes: int
    archive: JobFigures
    duckdb: Used
    job: JobFigures
    differences: dict[str, int]


def measure_table(server: Server, asked: int, plan: Plan, progress: Progress) -> TableFigures:
    seconds = plan.steps(asked)
    with progress.step(f"generating {asked:,} messages", seconds["generate"]):
        rows = generate(server, asked, plan)
    with progress.step("the job, all of the log", seconds["job"]):
        whole = told("the job", job.run(server, "--bucket", BUCKET))
    with progress.step("one query of PostgreSQL", seconds["query"]):
        postgres = told("PostgreSQL", query.run_in_postgres(server, plan))
    return TableFigures(rows, whole, postgres, query.differences(server, plan, BY_POSTGRES))


def measure_lake(server: Server, asked: int, plan: Plan, progress: Progress) -> LakeFigures:
    seconds = plan.steps(asked)
    with progress.step("archiving the log", seconds["archive"]):
        archive = told("archiving", lake.archive(server))
    with progress.step("one query of DuckDB", seconds["duckdb"]):
        duckdb = told("DuckDB", query.run_in_duckdb(server, plan))
    differences = {"DuckDB": query.differences(server, plan, BY_DUCKDB)}
    with progress.step("the job, all of the lake", seconds["lake"]):
        whole = told("the job on the lake", lake.run_job(server, plan))
    differences["the job on the lake"] = query.differences(server, plan, BY_POSTGRES)
    return LakeFigures(lake.log_bytes(server.lake), archive, duckdb, whole, differences)


def measure_increments(server: Server, asked: int, plan: Plan, progress: Progress) -> list[Increment]:
    with progress.step("runs that go on from the last one", plan.steps(asked)["increments"]):
        return told("increments", increments.measure(server, plan))
