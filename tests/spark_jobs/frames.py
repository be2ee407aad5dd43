"""Tiny frames, and the rows that come out of them. Times are minutes after a full hour."""

from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_jobs.contract import MESSAGE_STAY, QUEUE
from spark_jobs.sources.postgres import struct_of
from spark_jobs.sources.stays import COLUMNS
from spark_jobs.transforms.stays import normalised, with_leases
from spark_jobs.windows import Window

HOUR = datetime(2026, 11, 18, 9, tzinfo=UTC)
FIRST = int(HOUR.timestamp())
STAYS = struct_of(MESSAGE_STAY, COLUMNS).add("stays", "long")
QUEUES = struct_of(QUEUE, list(QUEUE.columns))


def at(minutes: float) -> datetime:
    return HOUR + timedelta(minutes=minutes)


def window(start: float = 0, stop: float = 5, bucket_seconds: int = 60) -> Window:
    return Window(bucket_seconds, at(start), at(stop), at(stop))


def stay(enqueued: float, ended: float | None = None, **fields: Any) -> dict[str, Any]:
    """A stay in queue 1 that was acked, if it ended at all; never delivered unless it says when."""
    first, last = fields.get("first_delivered_at"), fields.get("last_delivered_at")
    defaults = {
        "message_id": f"message of {enqueued} to {ended}",
        "team_id": 7,
        "queue_id": 1,
        "enqueued_at": enqueued,
        "last_delivered_at": first,
        "ended_at": ended,
        "outcome": None if ended is None else "acked",
        "delivery_count": 0 if first is None else 1 if last in (None, first) else 2,
        "nack_count": 0,
        "lease_expiry_count": 0,
        "size_bytes": 10,
        "stays": 1,
    }
    return {**dict.fromkeys(STAYS.names), **defaults, **fields}


def raw_stays(spark: SparkSession, *rows: dict[str, Any]) -> DataFrame:
    """As they are read."""
    return spark.createDataFrame([_timed(row) for row in rows], STAYS)


def stays(spark: SparkSession, *rows: dict[str, Any]) -> DataFrame:
    """As the transforms want them."""
    return with_leases(normalised(raw_stays(spark, *rows)))


def queues(spark: SparkSession, *rows: dict[str, Any]) -> DataFrame:
    settings = {
        "team_id": 7,
        "is_dlq": False,
        "visibility_timeout": 30,
        "max_deliveries": 3,
        "retention_seconds": 345_600,
    }
    filled = [{**dict.fromkeys(QUEUES.names), **settings, **row} for row in rows]
    return spark.createDataFrame(filled, QUEUES).withColumnRenamed("id", "queue_id")


def by_bucket(frame: DataFrame, *columns: str) -> dict[int, Any]:
    """The values of some columns of queue 1 by the number of the bucket, counted from the hour."""
    size = 60
    rows = frame.where("queue_id = 1").select("bucket", *columns).collect()
    found = {(row.bucket - FIRST) // size: tuple(row)[1:] for row in rows}
    assert len(found) == len(rows), "a bucket came out twice"
    return {key: value[0] if len(columns) == 1 else value for key, value in sorted(found.items())}


def _timed(row: dict[str, Any]) -> dict[str, Any]:
    is_time = {field.name for field in STAYS if field.dataType.typeName() == "timestamp"}
    return {
        name: at(value) if name in is_time and value is not None else value for name, value in row.items()
    }
