"""What the last hours say about each queue, put together from its buckets: no message is read again."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.transforms import histograms
from spark_jobs.windows import Window

SHARES = {"processing_p50": 0.5, "processing_p99": 0.99}
ENOUGH_ACKS = 0.99  # of those acked in the end, this share had to be acked by so many deliveries


def observed(buckets: DataFrame, queues: DataFrame, window: Window) -> DataFrame:
    """`buckets` are rows of queue_metrics up to the window's end. Queues that are gone are left out."""
    return (
        _summed(buckets, window)
        .join(histograms.percentiles(buckets, SHARES), "queue_id", "left")
        .join(_deliveries_needed(buckets), "queue_id", "left")
        .join(F.broadcast(queues.where(F.col("deleted_at").isNull()).drop("team_id")), "queue_id")
    )


def _summed(buckets: DataFrame, window: Window) -> DataFrame:
    # Where messages are left over at the end of a bucket, consumers did what they could in it.
    had_backlog = F.col("depth") > 0
    had_acks = F.col("acked") > 0
    is_last = F.col("bucket_start") == F.lit(window.stop - window.size)
    seconds = F.lit(window.end) - F.unix_seconds(F.min("bucket_start"))
    busy_seconds = F.sum(F.col("in_flight_avg") * window.bucket_seconds)
    return buckets.groupBy("queue_id").agg(
        F.max("team_id").alias("team_id"),
        F.min("bucket_start").alias("observed_from"),
        F.lit(window.stop).alias("observed_to"),
        seconds.alias("observed_seconds"),
        *(F.sum(name).alias(name) for name in ("sent", "received", "acked", "dead_lettered", "expired")),
        F.sum("lease_expiries").alias("lease_expiries"),
        F.sum("processing_count").alias("processing_count"),
        F.try_divide(F.sum("processing_sum"), F.sum("processing_count")).alias("processing_mean"),
        (F.sum("sent") / seconds).alias("arrival_rate"),
        F.max("sent_per_second").alias("peak_arrival_rate"),
        F.coalesce(
            F.avg(F.when(had_backlog & had_acks, F.col("acked_per_second"))),
            F.avg(F.when(had_acks, F.col("acked_per_second"))),
        ).alias("drain_rate"),
        (busy_seconds / seconds).alias("busy_consumers"),
        F.coalesce(F.max(F.when(is_last, F.col("depth"))), F.lit(0)).alias("depth"),
        F.max(F.when(is_last, F.col("oldest_age_seconds"))).alias("oldest_age_seconds"),
    )


def _deliveries_needed(buckets: DataFrame) -> DataFrame:
    """The fewest deliveries by which nearly all had been acked that ever were."""
    steps = histograms.reached(buckets, histograms.RETRIES, {"retries_needed": ENOUGH_ACKS})
    return steps.select("queue_id", (F.col("retries_needed") + 1).alias("deliveries_needed"))
