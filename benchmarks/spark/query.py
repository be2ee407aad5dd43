"""The same aggregation as one query: of PostgreSQL on the table, and of DuckDB on the lake.

Both run the very same text, and both write down what they found, as the job does.
"""

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import adbc_driver_postgresql.dbapi as adbc
import psutil
import pyarrow.parquet as parquet

from benchmarks.errors import CannotMeasure
from benchmarks.spark.meter import Meter, Used
from benchmarks.spark.plan import BUCKET_SECONDS
from benchmarks.spark.server import Server

SQL = Path(__file__).resolve().parent.parent / "sql" / "metrics"
# An analyst's session: with the 4 MB that are meant for many small queries it would sort on disk only.
WORK_MEMORY = "256MB"
BY_POSTGRES, BY_DUCKDB = "bench_by_postgres", "bench_by_duckdb"


@dataclass(frozen=True)
class Span:
    """The buckets that the job computed."""

    start: datetime
    stop: datetime

    @classmethod
    def of_the_last_run(cls, server: Server) -> "Span":
        with server.connect() as connection:
            found = connection.execute(
                "SELECT window_from, window_to FROM metrics_run"
                " WHERE status = 'succeeded' AND bucket_seconds = %s ORDER BY id DESC LIMIT 1",
                [BUCKET_SECONDS],
            ).fetchone()
        if found is None:
            raise CannotMeasure("the job noted down no run.")
        return cls(*found)

    @property
    def aggregate(self) -> str:
        text = (SQL / "aggregate.sql").read_text()
        return text.format(
            start=int(self.start.timestamp()), stop=int(self.stop.timestamp()), size=BUCKET_SECONDS
        )


def run_in_postgres(server: Server, span: Span) -> Used:
    script = server.folder / "aggregate.sql"
    script.write_text(f"SET work_mem = '{WORK_MEMORY}';\nCREATE TABLE {BY_POSTGRES} AS\n{span.aggregate};\n")
    psql = server.postgres.bin_dir / "psql"
    process, said = server.spawn(psql, "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--file={script}")
    with Meter(server.process) as meter:
        server.finish(process, said)
    return meter.used


def run_in_duckdb(server: Server, span: Span) -> Used:
    script, found = server.folder / "duckdb.sql", server.folder / "duckdb.parquet"
    script.write_text(span.aggregate)
    command = (sys.executable, "-m", "benchmarks.spark.duckdb_query", server.lake, script, found)
    process, said = server.spawn(*command)
    with Meter(psutil.Process(process.pid)) as meter:
        server.finish(process, said)
    with adbc.connect(server.url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(BY_DUCKDB, parquet.read_table(found), mode="create")
    return meter.used


def differences(server: Server, table: str) -> int:
    """In how many queues and buckets the job says something else; a row that only one of them has is one."""
    text = (SQL / "differences.sql").read_text()
    with server.connect() as connection:
        (rows, different) = connection.execute(text.format(other=table)).fetchone() or (0, 0)
    if rows == 0:
        raise CannotMeasure("the job wrote nothing to compare with.")
    return int(different)
