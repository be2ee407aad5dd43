"""Days of long ago in the log, and what a lake has of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import connection
from pyspark.sql import SparkSession

from queues.maintenance import log_partitions
from queues.models import MessageLog
from spark_jobs.days import bounds_of
from spark_jobs.lake import Lake
from spark_jobs.sources.log import COLUMNS, read_archived
from tests.empty_log import empty_log

RETENTION = 30  # days, as the service has it unless told otherwise
OLD = (datetime.now(UTC) - timedelta(days=RETENTION + 10)).date()
NEXT = OLD + timedelta(days=1)
NOON = bounds_of(OLD)[0] + timedelta(hours=12)
# All that a row may hold, and next to nothing.
ROWS = """
    INSERT INTO message_log (
        message_id, team_id, queue_id, enqueued_at, first_delivered_at, last_delivered_at,
        finished_at, left_at,
        delivery_count, nack_count, lease_expiry_count, size_bytes, priority, outcome,
        group_id, error_type, fingerprint, redrive_id
    )
    SELECT uuidv7(), 1, %(queue_id)s, at - interval '5 minutes 0.000001 second', at - interval '1 minute',
           at - interval '1 second', at, at - interval '1 microsecond', 3, 1, 1, 1048576, -5, 'discarded',
           E'a|\\\\N"\u202e\u0001ẞ🦫', E'Time|out\\n', '', 9
      FROM generate_series(%(start)s::timestamptz, %(stop)s::timestamptz, %(step)s::interval) AS at
     UNION ALL
    SELECT uuidv7(), 1, %(queue_id)s, at, NULL, NULL, at, NULL, 0, 0, 0, 0, 0, 'acked', NULL, NULL, NULL, NULL
      FROM generate_series(%(start)s::timestamptz, %(stop)s::timestamptz, %(step)s::interval) AS at
"""


@contextmanager
def old_days() -> Iterator[None]:
    """A log that has two days of long ago."""
    with empty_log():
        for day in (OLD, NEXT):
            MessageLog.objects.add_day(day)
        yield


def log_rows(start: datetime, instants: int, step: timedelta = timedelta(minutes=1)) -> None:
    """Two rows for each instant."""
    with connection.cursor() as cursor:
        stop = start + (instants - 1) * step
        cursor.execute(ROWS, {"queue_id": 77, "start": start, "stop": stop, "step": step})


def days_left() -> set[date]:
    """Of the old days, those that the service keeps when it has dropped what it may."""
    log_partitions.run_once(1_000)
    return {OLD, NEXT} & MessageLog.objects.days()


def logged() -> set[tuple[Any, ...]]:
    rows = MessageLog.objects.values_list(*COLUMNS)
    return {(str(message_id), *values) for message_id, *values in rows}


def archived(spark: SparkSession, lake: Path, *days: date) -> set[tuple[Any, ...]]:
    """The same, from the lake."""
    rows = read_archived(spark, Lake(str(lake)), days).toArrow().to_pylist()
    found = {tuple(row[name] for name in COLUMNS) for row in rows}
    assert len(found) == len(rows), "a row came out twice"
    return found
