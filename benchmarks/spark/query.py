"""The same aggregation as one query: of PostgreSQL on the table, and of DuckDB on the lake.

Both run the very same text, and both write down what they found, as the job does.
"""

import sys
from pathlib import Path

import adbc_driver_postgresql.dbapi as adbc
import psutil
import pyarrow.parquet as parquet

from benchmarks.errors import CannotMeasure
from benchmarks.spark.meter import Meter, Used
from benchmarks.spark.plan import BUCKET_SECONDS, Plan
from benchmarks.spark.server import Server

SQL = Path(__file__).resolve().parent.parent / "sql" / "metrics"
# An analyst's session: with the 4 MB that are meant for many small queries it would sort on disk only.
WORK_MEMORY = "256MB"
BY_POSTGRES, BY_DUCKDB = "bench_by_postgres", "bench_by_duckdb"


def run_in_postgres(server: Server, plan: Plan) -> Used:
    script = server.folder / "aggregate.sql"
    script.write_text(
        f"SET work_mem = '{WORK_MEMORY}';\nCREATE TABLE {BY_POSTGRES} AS\n{_aggregate(plan)};\n"
    )
    psql = server.postgres.bin_dir / "psql"
    process, said = server.spawn(psql, "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--file={script}")
    with Meter(server.process) as meter:
        server.finish(process, said)
    return meter.used


def run_in_duckdb(server: Server, plan: Plan) -> Used:
    script, found = server.folder / "duckdb.sql", server.folder / "duckdb.parquet"
    script.write_text(_aggregate(plan))
    command = (sys.executable, "-m", "benchmarks.spark.duckdb_query", server.lake, script, found)
    process, said = server.spawn(*command)
    with Meter(psutil.Process(process.pid)) as meter:
        server.finish(process, said)
    with adbc.connect(server.url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(BY_DUCKDB, parquet.read_table(found), mode="create")
    return meter.used


def differences(server: Server, plan: Plan, table: str) -> int:
    """In how many queues and buckets the job says something else; a row that only one of them has is one."""
    text = (SQL / "differences.sql").read_text()
    with server.connect() as connection:
        (rows, different) = connection.execute(
            text.format(other=table, stop=int(plan.until.timestamp()))
        ).fetchone() or (0, 0)
    if rows == 0:
        raise CannotMeasure("the job wrote nothing to compare with.")
    return int(different)


def _aggregate(plan: Plan) -> str:
    """Over the buckets in which anything happened; the job looks further, and finds nothing there."""
    start, stop = int(plan.since.timestamp()), int(plan.until.timestamp())
    return (SQL / "aggregate.sql").read_text().format(start=start, stop=stop, size=BUCKET_SECONDS)
