"""What happened, one row for each thing: from these every figure of a bucket is summed up, without touching a
bucket twice for a stay that spans many.
"""

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_jobs.transforms.instants import bucket_of, span_seconds
from spark_jobs.windows import Window

ARRIVED = "arrived"
DELIVERED = "delivered"
REDELIVERED = "redelivered"
LEFT = "left"
LEASE_BEGAN = "lease_began"
LEASE_ENDED = "lease_ended"
EVERYTHING = (ARRIVED, DELIVERED, REDELIVERED, LEFT, LEASE_BEGAN, LEASE_ENDED)


def events_of(stays: DataFrame, window: Window, kinds: Iterable[str] = EVERYTHING) -> DataFrame:
    """What happened to these stays before the window's end; `number` is how often.

    Only of these kinds: Spark cannot know which of them a filter would drop, and would make them all first.
    """
    again = F.col("deliveries") > 1
    leased_at_all = F.col("lease_ended_at") > F.col("lease_began_at")
    unknown = F.col("deliveries_unknown").cast("bigint")
    known = [
        _event(ARRIVED, F.col("enqueued_at"), F.col("stays")),
        _event(DELIVERED, F.col("first_delivered_at"), F.lit(1), unknown),
        _event(
            REDELIVERED,
            F.when(again, F.col("last_delivered_at")),
            F.col("deliveries") - 1,
            F.col("deliveries") - 2,
        ),
        _event(LEFT, F.col("ended_at"), F.col("stays")),
        _event(LEASE_BEGAN, F.when(leased_at_all, F.col("lease_began_at")), F.lit(1)),
        _event(LEASE_ENDED, F.when(leased_at_all, F.col("lease_ended_at")), F.lit(1)),
    ]
    by_kind = dict(zip(EVERYTHING, known, strict=True))
    exploded = F.explode(F.array(*(by_kind[kind] for kind in kinds)))
    is_first_delivery = (F.col("event") == DELIVERED) & ~F.col("deliveries_unknown")
    is_ack = (F.col("event") == LEFT) & (F.col("outcome") == "acked")
    return (
        stays.withColumn("happened", exploded)
        .select("*", "happened.*")
        .where(F.col("at") < F.lit(window.stop))
        .select(
            "team_id",
            "queue_id",
            bucket_of(F.col("at"), window.bucket_seconds).alias("bucket"),
            "at",
            "event",
            "number",
            "estimated",
            "outcome",
            "group_id",
            "size_bytes",
            "deliveries",
            "nacks",
            "lease_expiries",
            "lease_estimated",
            F.when(is_first_delivery, span_seconds(F.col("enqueued_at"), F.col("at"))).alias(
                "queueing_delay"
            ),
            F.when(is_ack, span_seconds(F.col("last_delivered_at"), F.col("at"))).alias("processing"),
            F.when(is_ack, span_seconds(F.col("enqueued_at"), F.col("at"))).alias("end_to_end"),
        )
    )


def in_window(events: DataFrame, window: Window) -> DataFrame:
    return events.where(F.col("bucket") >= window.first)


def before_window(events: DataFrame, window: Window) -> DataFrame:
    return events.where(F.col("bucket") < window.first)


def _event(event: str, at: Column, number: Column, estimated: Column | None = None) -> Column:
    return F.struct(
        F.lit(event).alias("event"),
        at.alias("at"),
        number.cast("bigint").alias("number"),
        (F.lit(0) if estimated is None else estimated).cast("bigint").alias("estimated"),
    )
