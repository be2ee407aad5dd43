"""What the job notes down: the lock of the one that runs, how far it got, its runs, what is in the lake."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

from spark_jobs.database import Connection, one_at_a_time
from spark_jobs.days import bounds_of
from spark_jobs.errors import JobError, UsageError
from spark_jobs.lake import Lake
from spark_jobs.transforms.digest import Digest
from spark_jobs.windows import Window

LOCK = 0x53_4D_51_4D  # "SMQM": the metrics of SimpleMQ, in the one space of advisory locks a database has
TABLES_THERE = (
    "SELECT to_regclass('message_stay') IS NOT NULL AND to_regclass('archived_day') IS NOT NULL AS yes"
)
QUEUE_THERE = "SELECT EXISTS (SELECT FROM queue WHERE id = %s) AS yes"
# The log is dropped day by day; a day's partition carries its name. The default one catches the others.
DAYS = """
    SELECT to_date(right(child.relname, 8), 'YYYYMMDD') AS day
      FROM pg_inherits
      JOIN pg_class AS child ON child.oid = inhrelid
     WHERE inhparent = 'message_log'::regclass
       AND child.relname ~ '^message_log_[0-9]{8}$'
     ORDER BY day
"""
DEFAULT_BEGINS = "SELECT date_trunc('day', min(finished_at), 'UTC') AS at FROM message_log_default"
TODAY = "SELECT (statement_timestamp() AT TIME ZONE 'UTC')::date AS today"
DIGEST = "SELECT rows, checksum FROM message_log_digest(%s)"
ARCHIVED = "SELECT rows, checksum FROM archived_day WHERE lake = %s AND day = %s"
ARCHIVED_DAYS = "SELECT day FROM archived_day WHERE lake = %s ORDER BY day"
NOTE_ARCHIVED = """
    INSERT INTO archived_day (lake, day, rows, checksum, archived_at)
    VALUES (%s, %s, %s, %s, statement_timestamp())
        ON CONFLICT (lake, day) DO UPDATE
       SET rows = EXCLUDED.rows, checksum = EXCLUDED.checksum, archived_at = EXCLUDED.archived_at
"""
LAST_RUN = "SELECT max(id) AS id FROM metrics_run WHERE status = 'succeeded'"
# Of a day that is not over the lake hears later: some run will compute its end.
UNEXPORTED = """
    SELECT DISTINCT run.bucket_seconds, day::date AS day
      FROM metrics_run AS run
      LEFT JOIN metrics_watermark AS computed USING (bucket_seconds)
     CROSS JOIN LATERAL generate_series(
               date_trunc('day', window_from AT TIME ZONE 'UTC'),
               window_to AT TIME ZONE 'UTC',
               interval '1 day'
           ) AS day
     WHERE run.status = 'succeeded'
       AND run.id <= %s
       AND run.exported_to <> %s
       AND day < window_to AT TIME ZONE 'UTC'
       AND day + interval '1 day' <= GREATEST(window_to, computed.computed_until) AT TIME ZONE 'UTC'
       AND day::date >= (statement_timestamp() AT TIME ZONE 'UTC')::date - %s::int
     ORDER BY 1, 2
"""
NOTE_EXPORTED = """
    UPDATE metrics_run SET exported_to = %s WHERE id <= %s AND status = 'succeeded' AND exported_to <> %s
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
# What was interrupted only after its results were committed has succeeded.
FAIL = """
    UPDATE metrics_run
       SET status = 'failed', error = %s, finished_at = statement_timestamp()
     WHERE id = %s AND status = 'running'
"""


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

    def today(self) -> date:
        """By the clock that dates the log."""
        return self._value(TODAY)

    def log_begins(self) -> datetime | None:
        """From when on the table has the log; what was logged earlier has been dropped."""
        firsts = [bounds_of(day)[0] for day in self.days()[:1]]
        default = self._value(DEFAULT_BEGINS)
        return min([*firsts, *([default] if default else [])], default=None)

    def days(self) -> list[date]:
        """Days that have a partition of the log, in order."""
        return [row.day for row in self.primary.execute(DAYS)]

    def digest_of(self, day: date) -> Digest:
        row = self.primary.execute(DIGEST, [day]).fetchone()
        assert row is not None  # noqa: S101  # an aggregate always has one
        return Digest(row.rows, row.checksum)

    def archived(self, lake: Lake, day: date) -> Digest | None:
        row = self.primary.execute(ARCHIVED, [lake.location, day]).fetchone()
        return Digest(row.rows, row.checksum) if row else None

    def archived_days(self, lake: Lake) -> list[date]:
        return [row.day for row in self.primary.execute(ARCHIVED_DAYS, [lake.location])]

    def note_archived(self, lake: Lake, day: date, digest: Digest) -> None:
        self.primary.execute(NOTE_ARCHIVED, [lake.location, day, digest.rows, digest.checksum])

    def watermark(self, bucket_seconds: int) -> datetime | None:
        return self._value(WATERMARK, bucket_seconds)

    def last_run(self) -> int | None:
        return self._value(LAST_RUN)

    def unexported(self, lake: Lake, last_run: int | None, days: int) -> list[tuple[int, date]]:
        """Sizes of bucket and whole days that runs up to that one computed since the lake had them."""
        rows = self.primary.execute(UNEXPORTED, [last_run, lake.location, days])
        return [(row.bucket_seconds, row.day) for row in rows]

    def note_exported(self, lake: Lake, last_run: int | None) -> None:
        self.primary.execute(NOTE_EXPORTED, [lake.location, last_run, lake.location])

    def begin(self, window: Window, queue_id: int | None) -> int:
        return self._value(
            BEGIN, window.bucket_seconds, window.start, window.stop, window.settled_until, queue_id
        )

    def fail(self, run_id: int, error: str) -> None:
        self.primary.execute(FAIL, [error, run_id])

    def _value(self, statement: str, *parameters: object) -> Any:
        row = self.primary.execute(statement, parameters).fetchone()
        return row[0] if row else None
