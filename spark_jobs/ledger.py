"""What the job notes down about itself: the lock of the one that runs, how far it got, and its runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from spark_jobs.database import Connection, one_at_a_time
from spark_jobs.errors import JobError, UsageError
from spark_jobs.windows import Window

LOCK = 0x53_4D_51_4D  # "SMQM": the metrics of SimpleMQ, in the one space of advisory locks a database has
TABLES_THERE = (
    "SELECT to_regclass('message_stay') IS NOT NULL AND to_regclass('queue_metrics') IS NOT NULL AS yes"
)
QUEUE_THERE = "SELECT EXISTS (SELECT FROM queue WHERE id = %s) AS yes"
# The log is dropped day by day; a day's partition carries its name. The default one catches the others.
LOG_BEGINS = """
    SELECT LEAST(
               (SELECT min(to_date(right(child.relname, 8), 'YYYYMMDD'))::timestamp AT TIME ZONE 'UTC'
                  FROM pg_inherits
                  JOIN pg_class AS child ON child.oid = inhrelid
                 WHERE inhparent = 'message_log'::regclass
                   AND child.relname ~ '^message_log_[0-9]{8}$'),
               (SELECT date_trunc('day', min(finished_at), 'UTC') FROM message_log_default)
           ) AS at
"""
WATERMARK = "SELECT computed_until AS at FROM metrics_watermark WHERE bucket_seconds = %s"
# Whoever has the lock is the only one that runs: a run that is still noted as running has died.
BURY = "UPDATE metrics_run SET status = 'failed', error = 'It was interrupted.' WHERE status = 'running'"
BEGIN = """
    INSERT INTO metrics_run (
        status, bucket_seconds, window_from, window_to, settled_until, queue_id, started_at, error
    )
    VALUES ('running', %s, %s, %s, %s, %s, statement_timestamp(), '')
    RETURNING id
"""
FAIL = (
    "UPDATE metrics_run SET status = 'failed', error = %s, finished_at = statement_timestamp() WHERE id = %s"
)


class Ledger:
    def __init__(self, primary: Connection) -> None:
        self.primary = primary

    def check(self, queue_id: int | None) -> None:
        if not self._value(TABLES_THERE):
            raise JobError("The tables of the metrics are not there: run manage.py migrate.")
        if queue_id is not None and not self._value(QUEUE_THERE, queue_id):
            raise UsageError(f"There is no queue {queue_id}.")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One run at a time."""
        refusal = "Another metrics run is under way: this one has nothing to do."
        with one_at_a_time(self.primary, LOCK, refusal):
            self.primary.execute(BURY)
            yield

    def log_begins(self) -> datetime | None:
        return self._value(LOG_BEGINS)

    def watermark(self, bucket_seconds: int) -> datetime | None:
        return self._value(WATERMARK, bucket_seconds)

    def begin(self, window: Window, queue_id: int | None) -> int:
        return self._value(
            BEGIN, window.bucket_seconds, window.start, window.stop, window.settled_until, queue_id
        )

    def fail(self, run_id: int, error: str) -> None:
        self.primary.execute(FAIL, [error, run_id])

    def _value(self, statement: str, *parameters: object) -> Any:
        row = self.primary.execute(statement, parameters).fetchone()
        return row[0] if row else None
