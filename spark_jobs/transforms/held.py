"""How many messages a queue held, rebuilt exactly from when they came and went.

Every stay is +1 when it begins and -1 when it ends. Sums of these within each bucket are small and are had in
parallel; running sums go over buckets only, and start from what had come before the window and not left. A
stay of a thousand buckets costs two events, like any other.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_jobs.transforms.events import ARRIVED, LEASE_BEGAN, LEASE_ENDED, LEFT, before_window, in_window
from spark_jobs.transforms.instants import MICROS, micros_until
from spark_jobs.windows import Window

DEPTH = (ARRIVED, LEFT)  # what adds one, and what takes one away
LEASES = (LEASE_BEGAN, LEASE_ENDED)


def held(events: DataFrame, window: Window) -> DataFrame:
    """Depth and messages in flight, for each bucket in which a queue held any or anything happened."""
    changes = _opening(events, window).unionByName(_changes(events, window))
    by_bucket = Over.partitionBy("queue_id").orderBy("bucket")
    so_far = by_bucket.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    running = changes.select(
        "*",
        F.col("bucket").alias("changed_in"),
        F.sum("depth_change").over(so_far).alias("depth"),
        F.sum("lease_change").over(so_far).alias("in_flight"),
        F.sum("estimated_change").over(so_far).alias("in_flight_estimated"),
        F.lead("bucket", 1, window.end).over(by_bucket).alias("next_bucket"),
    )
    return _spread(running, window)


def _opening(events: DataFrame, window: Window) -> DataFrame:
    """What was there when the window begins, noted in the bucket before it."""
    return (
        before_window(events, window)
        .groupBy("queue_id")
        .agg(*_changes_summed())
        .select(
            "queue_id",
            F.lit(window.first - window.bucket_seconds).cast("bigint").alias("bucket"),
            "depth_change",
            F.lit(0).cast("bigint").alias("peak"),
            F.lit(0.0).alias("depth_area"),
            "lease_change",
            "estimated_change",
            F.lit(0.0).alias("lease_area"),
        )
    )


def _changes(events: DataFrame, window: Window) -> DataFrame:
    """How much each bucket added, how far above its opening it rose, and what that makes over time."""
    # As if it had lasted, or been missing, until the end of the bucket; in whole numbers, whose sum does not
    # depend on the order they come in.
    rest = micros_until(F.col("at"), F.col("bucket") + window.bucket_seconds)
    happened = in_window(events, window).where(F.col("event").isin(*DEPTH, *LEASES))
    summed = happened.groupBy("queue_id", "bucket").agg(
        *_changes_summed(),
        (F.sum(_change(DEPTH) * rest) / MICROS).alias("depth_area"),
        (F.sum(_change(LEASES) * rest) / MICROS).alias("lease_area"),
    )
    peak = F.greatest("risen", F.lit(0)).alias("peak")
    return summed.join(_risen(happened), ["queue_id", "bucket"], "left").select(*summed.columns, peak)


def _risen(events: DataFrame) -> DataFrame:
    """The highest running sum of each bucket. Only this needs them in order, so nothing else is sorted."""
    # Who leaves at an instant does so before others come: one that comes as another goes is no peak.
    in_order = (
        Over.partitionBy("queue_id", "bucket")
        .orderBy("micros", "change")
        .rowsBetween(Over.unboundedPreceding, Over.currentRow)
    )
    return (
        events.where(F.col("event").isin(*DEPTH))
        .select("queue_id", "bucket", F.unix_micros("at").alias("micros"), _change(DEPTH).alias("change"))
        .withColumn("risen", F.sum("change").over(in_order))
        .groupBy("queue_id", "bucket")
        .agg(F.max("risen").alias("risen"))
    )


def _spread(running: DataFrame, window: Window) -> DataFrame:
    """A row for each bucket until the next in which something changes, as long as the queue is not empty."""
    size = window.bucket_seconds
    goes_on = F.sequence("changed_in", F.col("next_bucket") - size, F.lit(size).cast("bigint"))
    buckets = F.when(F.col("depth") > 0, goes_on).otherwise(F.array("changed_in"))
    changed = F.col("bucket") == F.col("changed_in")
    opening = F.col("depth") - F.col("depth_change")
    lease_opening = F.col("in_flight") - F.col("lease_change")
    return (
        running.withColumn("bucket", F.explode(buckets))
        .where(F.col("bucket") >= window.first)
        .select(
            "queue_id",
            "bucket",
            "depth",
            F.when(changed, opening + F.col("peak")).otherwise(F.col("depth")).alias("depth_max"),
            F.when(changed, opening + F.col("depth_area") / size)
            .otherwise(F.col("depth"))
            .alias("depth_avg"),
            "in_flight",
            F.when(changed, lease_opening + F.col("lease_area") / size)
            .otherwise(F.col("in_flight"))
            .alias("in_flight_avg"),
            "in_flight_estimated",
        )
    )


def _changes_summed() -> list[Column]:
    return [
        F.sum(_change(DEPTH)).alias("depth_change"),
        F.sum(_change(LEASES)).alias("lease_change"),
        F.sum(F.when(F.col("lease_estimated"), _change(LEASES)).otherwise(0)).alias("estimated_change"),
    ]


def _change(kind: tuple[str, str]) -> Column:
    adds, takes = (F.col("event") == event for event in kind)
    return F.when(adds, F.col("number")).when(takes, -F.col("number")).otherwise(0)
