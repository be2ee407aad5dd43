"""Groups (tenants) of a queue: who had how much of it, and who was too much for the others."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_jobs.transforms.events import ARRIVED, LEFT
from spark_jobs.transforms.instants import in_millis, summed_seconds

KEY = ["queue_id", "bucket"]
MOST_GROUPS = 20  # a first-in-first-out queue may have as many groups as messages
NOISY_FROM = 30  # messages: fewer disturb nobody
NOISY_TIMES = 3  # as much as the others on average


def group_shares(events: DataFrame) -> DataFrame:
    """Every group of every queue and bucket, its shares of the whole queue, and whether it was noisy."""
    is_arrival = F.col("event") == ARRIVED
    is_end = F.col("event") == LEFT
    is_ack = is_end & (F.col("outcome") == "acked")
    is_dead = is_end & (F.col("outcome") == "dead_lettered")
    whole_queue = Over.partitionBy(KEY)
    summed = (
        events.where(is_arrival | is_end)
        .groupBy(*KEY, "group_id")
        .agg(
            F.count_if(is_arrival).alias("sent"),
            F.count_if(is_ack).alias("acked"),
            F.count_if(is_dead).alias("dead_lettered"),
            F.coalesce(F.sum(F.when(is_arrival, F.col("size_bytes"))), F.lit(0)).alias("bytes_sent"),
            summed_seconds(F.col("processing")).alias("processing_sum"),
        )
    )
    is_group = F.col("group_id").isNotNull()
    others = F.count_if(is_group & (F.col("sent") > 0)).over(whole_queue) - 1
    sent_by_others = F.sum(F.when(is_group, F.col("sent"))).over(whole_queue) - F.col("sent")
    # Written as a product: there may be no others to divide by.
    outdoes_them = (others > 0) & (F.col("sent") * others > NOISY_TIMES * sent_by_others)
    return summed.select(
        "*",
        _share(F.col("sent")).alias("sent_share"),
        _share(in_millis(F.col("processing_sum"))).alias("processing_share"),
        ((F.col("sent") >= NOISY_FROM) & outdoes_them).alias("noisy"),
    ).where(is_group)


def largest(shares: DataFrame) -> DataFrame:
    """Those that are kept: of each queue and bucket the ones that sent most."""
    by_size = Over.partitionBy(KEY).orderBy(F.desc("sent"), F.desc("acked"), "group_id")
    return shares.withColumn("place", F.row_number().over(by_size)).where(F.col("place") <= MOST_GROUPS)


def group_counts(shares: DataFrame) -> DataFrame:
    return shares.groupBy(KEY).agg(
        F.count_if(F.col("sent") > 0).alias("group_count"), F.count_if("noisy").alias("noisy_group_count")
    )


def _share(figure: Column) -> Column:
    whole = F.sum(figure).over(Over.partitionBy(KEY))
    return F.coalesce(F.try_divide(figure.cast("double"), whole), F.lit(0.0))
