"""Results into PostgreSQL: all of a run or nothing of it, as one transaction, the watermark with it.

Rows arrive by binary COPY in temporary tables. Then what they replace is deleted and they are inserted, and
readers see the old rows or the new ones.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.contract import Table
from spark_jobs.windows import Window

BUCKETS_AT_ONCE = 1_440  # on the driver; a day of minutes

WATERMARK = """
    INSERT INTO metrics_watermark (bucket_seconds, computed_until, run_id)
    VALUES ($1, $2, $3)
        ON CONFLICT (bucket_seconds) DO UPDATE
       SET computed_until = GREATEST(metrics_watermark.computed_until, EXCLUDED.computed_until),
           run_id = EXCLUDED.run_id
"""
SUCCEEDED = """
    UPDATE metrics_run
       SET status = 'succeeded', finished_at = clock_timestamp(), stays_read = $2, rows_written = $3
     WHERE id = $1
"""


@dataclass(frozen=True)
class Result:
    """Everything one run found out."""

    run_id: int
    window: Window
    queue_id: int | None  # the only one it looked at
    buckets: list[tuple[Table, DataFrame]]
    advice: tuple[Table, DataFrame] | None
    stays_read: int
    advances: bool  # whether the watermark moves to the window's end


def write(url: str, result: Result) -> int:
    """Replace what was known of the window; answers how many rows there are now.

    Frames are computed as they are copied, each part in a transaction of its own: one that stayed open until
    all are there would slow down every queue.
    """
    with adbc.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET application_name = 'simplemq metrics'")
        written = sum(_copy(cursor, table, _slices(frame, result.window)) for table, frame in result.buckets)
        if result.advice is not None:
            table, frame = result.advice
            written += _copy(cursor, table, [frame.toArrow()])
        # Not by BEGIN: the driver would commit after each statement that has parameters.
        connection.adbc_connection.set_autocommit(False)
        _replace(cursor, result)
        cursor.execute(SUCCEEDED, parameters=[result.run_id, result.stays_read, written])
        connection.adbc_connection.commit()
    return written


def _replace(cursor: Any, result: Result) -> None:
    window, queue = result.window, result.queue_id
    for table, _ in result.buckets:
        cursor.execute(
            f"DELETE FROM {table.name} WHERE bucket_seconds = $1 AND bucket_start >= $2 AND bucket_start < $3"
            " AND ($4::bigint IS NULL OR queue_id = $4::bigint)",
            parameters=[window.bucket_seconds, window.start, window.stop, queue],
        )
        _insert(cursor, table)
    if result.advice is not None:
        table, _ = result.advice
        cursor.execute(
            f"DELETE FROM {table.name} WHERE $1::bigint IS NULL OR queue_id = $1::bigint", parameters=[queue]
        )
        _insert(cursor, table)
    if result.advances:
        cursor.execute(WATERMARK, parameters=[window.bucket_seconds, window.stop, result.run_id])


def _copy(cursor: Any, table: Table, parts: Iterable[pa.Table]) -> int:
    rows = 0
    for number, part in enumerate(parts):
        mode = "append" if number else "create"
        cursor.adbc_ingest(f"incoming_{table.name}", part, mode=mode, temporary=True)
        rows += part.num_rows
    return rows


def _insert(cursor: Any, table: Table) -> None:
    columns = ", ".join(table.columns)
    values = ", ".join(f"{name}::{kind}" for name, kind in table.columns.items())
    cursor.execute(f"INSERT INTO {table.name} ({columns}) SELECT {values} FROM incoming_{table.name}")


def _slices(frame: DataFrame, window: Window) -> Iterator[pa.Table]:
    """So many buckets at a time: a month of minutes of many queues would not fit in the driver."""
    start = window.start
    while start < window.stop:
        stop = start + timedelta(seconds=window.bucket_seconds * BUCKETS_AT_ONCE)
        yield frame.where(
            F.col("bucket_start").between(F.lit(start), F.lit(stop - timedelta(microseconds=1)))
        ).toArrow()
        start = stop
