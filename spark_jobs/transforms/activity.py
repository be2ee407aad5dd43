"""What happened in each queue and bucket: counts, bytes, and how long things took."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_jobs.transforms.events import ARRIVED, DELIVERED, LEFT, REDELIVERED
from spark_jobs.transforms.instants import summed_seconds

KEY = ["queue_id", "bucket"]
OUTCOMES = (
    "acked",
    "dead_lettered",
    "expired",
    "requeued",
    "redriven",
    "discarded",
    "purged",
    "queue_deleted",
)
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
MEASURES = ("queueing_delay", "processing", "end_to_end")


def activity(events: DataFrame) -> DataFrame:
    """One row for each queue and bucket in which anything happened."""
    is_arrival = F.col("event") == ARRIVED
    is_delivery = F.col("event").isin(DELIVERED, REDELIVERED)
    is_end = F.col("event") == LEFT
    is_ack = is_end & (F.col("outcome") == "acked")
    is_first_attempt = F.col("deliveries") <= 1
    number, size = F.col("number"), F.col("size_bytes")
    summed = events.groupBy(KEY).agg(
        _sum(is_arrival, number).alias("sent"),
        _sum(is_delivery, number).alias("received"),
        _sum(is_delivery, F.col("estimated")).alias("received_estimated"),
        *(_sum(is_end & (F.col("outcome") == outcome), number).alias(outcome) for outcome in OUTCOMES),
        _sum(is_end, F.col("nacks")).alias("nacks"),
        _sum(is_end, F.col("lease_expiries")).alias("lease_expiries"),
        _sum(is_arrival, number * size).alias("bytes_sent"),
        _sum(is_ack, size).alias("bytes_acked"),
        _sum(is_ack & is_first_attempt, number).alias("first_attempt_acked"),
        summed_seconds(F.col("processing")).alias("processing_sum"),
        *(column for measure in MEASURES for column in _spread(measure)),
    )
    return summed.select("*", *(column for measure in MEASURES for column in _percentiles(measure)))


def _sum(condition: Column, number: Column) -> Column:
    return F.coalesce(F.sum(F.when(condition, number)), F.lit(0)).cast("bigint")


def _spread(measure: str) -> list[Column]:
    """Exact percentiles, by linear interpolation; together, because each would count the values anew."""
    return [
        F.count(measure).alias(f"{measure}_count"),
        F.max(measure).alias(f"{measure}_max"),
        F.percentile(measure, F.array(*map(F.lit, PERCENTILES.values()))).alias(f"{measure}_spread"),
    ]


def _percentiles(measure: str) -> list[Column]:
    return [
        F.col(f"{measure}_spread")[place].alias(f"{measure}_{name}") for place, name in enumerate(PERCENTILES)
    ]
