"""Groups (tenants) of a queue: who had how much of it, and who was too much for the others."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_jobs.transforms.events import ARRIVED, LEFT

KEY = ["queue_id", "bucket"]
MOST_GROUPS = 20  # a first-in-first-out queue may have as many groups as messages
NOISY_FROM = 30  # messages: fewer disturb nobody
NOISY_TIMES = 3  # as much as the others on average


def group_shares(events: DataFrame, activity: DataFrame) -> DataFrame:
    """Every group of every queue and bucket, its shares, and whether it was noisy."""
    is_arrival = F.col("event") == ARRIVED
    is_end = F.col("event") == LEFT
    is_ack = is_end & (F.col("outcome") == "acked")
    is_dead = is_end & (F.col("outcome") == "dead_lettered")
    all_groups = Over.partitionBy(KEY)
    summed = (
        events.where(F.col("group_id").isNotNull() & (is_arrival | is_end))
        .groupBy(*KEY, "group_id")
        .agg(
            F.count_if(is_arrival).alias("sent"),
            F.count_if(is_ack).alias("acked"),
            F.count_if(is_dead).alias("dead_lettered"),
            F.coalesce(F.sum(F.when(is_arrival, F.col("size_bytes"))), F.lit(0)).alias("bytes_sent"),
            F.coalesce(F.sum("processing"), F.lit(0.0)).alias("processing_sum"),
        )
    )
    senders = F.count_if(F.col("sent") > 0).over(all_groups)
    sent_by_others = F.sum("sent").over(all_groups) - F.col("sent")
    whole = activity.select(
        *KEY, F.col("sent").alias("queue_sent"), F.col("processing_sum").alias("queue_processing")
    )
    # Written as a product: there may be no others to divide by.
    is_noisy = (F.col("sent") >= NOISY_FROM) & (
        F.col("sent") * (F.col("group_count") - 1) > NOISY_TIMES * F.col("sent_by_others")
    )
    return (
        summed.withColumns({"group_count": senders, "sent_by_others": sent_by_others})
        .join(whole, KEY)
        .select(
            *KEY,
            "group_id",
            "sent",
            "acked",
            "dead_lettered",
            "bytes_sent",
            "processing_sum",
            _share("sent", "queue_sent").alias("sent_share"),
            _share("processing_sum", "queue_processing").alias("processing_share"),
            (is_noisy & (F.col("group_count") > 1)).alias("noisy"),
        )
    )


def largest(shares: DataFrame) -> DataFrame:
    """Those that are kept: of each queue and bucket the ones that sent most."""
    by_size = Over.partitionBy(KEY).orderBy(F.desc("sent"), F.desc("acked"), "group_id")
    return (
        shares.withColumn("place", F.row_number().over(by_size))
        .where(F.col("place") <= MOST_GROUPS)
        .drop("place")
    )


def group_counts(shares: DataFrame) -> DataFrame:
    return shares.groupBy(KEY).agg(
        F.count_if(F.col("sent") > 0).cast("int").alias("group_count"),
        F.count_if("noisy").cast("int").alias("noisy_group_count"),
    )


def _share(part: str, whole: str) -> Column:
    return F.coalesce(F.try_divide(F.col(part), F.col(whole)).cast("double"), F.lit(0.0))
