"""What a run costs that goes on from the last one: it should be what is new, not what is there.

Buckets are computed when they are over. Instead of waiting for the next one, the watermark is set back by a
bucket, and the messages happen in that.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from benchmarks.errors import CannotMeasure
from benchmarks.spark import job
from benchmarks.spark.job import JobFigures
from benchmarks.spark.plan import INCREMENTS, ROWS_A_MINUTE, Plan
from benchmarks.spark.query import SQL
from benchmarks.spark.server import Server
from spark_jobs.ledger import LOCK

UNSETTLED = timedelta(seconds=20)  # the job leaves out the last ten
RUNS_TO_WARM_UP = 2
WATERMARK = """
    INSERT INTO metrics_watermark (bucket_seconds, computed_until, run_id)
    VALUES (%s, %s, 0)
        ON CONFLICT (bucket_seconds) DO UPDATE SET computed_until = EXCLUDED.computed_until
"""


@dataclass(frozen=True)
class Increment:
    minutes: int
    new_rows: int
    cold: JobFigures  # with a Spark that has to start first
    warm: JobFigures


def measure(server: Server, plan: Plan) -> list[Increment]:
    return [_measure(server, plan, minutes) for minutes in INCREMENTS]


def _measure(server: Server, plan: Plan, minutes: int) -> Increment:
    rows = _add(server, plan, minutes)
    with job.looping(server, "--since-last", "--bucket", f"{minutes}m") as loop:
        cold = loop.first_run()
        for _ in range(RUNS_TO_WARM_UP):
            _add(server, plan, minutes)
            loop.next_run()
        _add(server, plan, minutes)
        warm = loop.next_run()
    if min(cold.stays, warm.stays) < rows:
        raise CannotMeasure(f"the job read {cold.stays} and {warm.stays} rows of {rows} that were new.")
    return Increment(minutes, rows, cold, warm)


def _add(server: Server, plan: Plan, minutes: int) -> int:
    """Messages of the last whole bucket, and the watermark before it; not while a run is about to move it."""
    size = timedelta(minutes=minutes)
    now = datetime.now(UTC) - UNSETTLED
    stop = now - timedelta(seconds=now.timestamp() % size.total_seconds())
    span = {"rows": minutes * ROWS_A_MINUTE, "start": stop - size, "stop": stop, "until": plan.until}
    with server.connect() as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        added = connection.execute((SQL / "new_rows.sql").read_text(), span).rowcount
        connection.execute(WATERMARK, [int(size.total_seconds()), stop - size])
    return added
