"""Stays as they were, made of rows as they are kept."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F


def without_undone_moves(stays: DataFrame, queues: DataFrame) -> DataFrame:
    """A dead letter that was redriven and pulled back began its stay once: only the last end of it counts.

    The log keeps both ends, with one beginning. Only dead-letter queues have such stays, so that the many
    others need not be sorted by message.
    """
    dlqs = queues.where(F.col("is_dlq")).select("queue_id", F.lit(True).alias("in_dlq"))
    marked = stays.join(F.broadcast(dlqs), "queue_id", "left")
    may_be_undone = F.col("in_dlq").isNotNull() & F.col("message_id").isNotNull()
    same_stay = Window.partitionBy("queue_id", "message_id", "enqueued_at").orderBy(
        F.col("ended_at").desc_nulls_first()
    )
    last_ends = (
        marked.where(may_be_undone)
        .withColumn("place", F.row_number().over(same_stay))
        .where(F.col("place") == 1)
        .select(stays.columns)
    )
    return marked.where(~may_be_undone).select(stays.columns).unionByName(last_ends)


def normalised(stays: DataFrame) -> DataFrame:
    """What happened in this stay, and only in this one.

    A dead letter carries the deliveries of the queue it died in; how often it was delivered since is not
    kept, only that it was. Counts of failures go on through all stays of a message, and cannot be more than
    the deliveries of this one that failed.
    """
    delivered_here = F.col("last_delivered_at") >= F.col("enqueued_at")
    carried = F.col("first_delivered_at") < F.col("enqueued_at")
    acked = F.col("outcome") == "acked"
    first = F.when(
        delivered_here, F.when(carried, F.col("last_delivered_at")).otherwise(F.col("first_delivered_at"))
    )
    last = F.when(delivered_here, F.col("last_delivered_at"))
    deliveries = (
        F.when(~F.coalesce(delivered_here, F.lit(False)), 0)
        .when(carried, 1)
        .otherwise(F.col("delivery_count"))
    )
    failed = F.greatest(deliveries - F.coalesce(acked, F.lit(False)).cast("int"), F.lit(0))
    return stays.select(
        "team_id",
        "queue_id",
        "group_id",
        "error_type",
        "fingerprint",
        "size_bytes",
        "stays",
        "outcome",
        "leased_until",
        "enqueued_at",
        _end().alias("ended_at"),
        _by_the_end(first).alias("first_delivered_at"),
        _by_the_end(last).alias("last_delivered_at"),
        deliveries.cast("bigint").alias("deliveries"),
        F.coalesce(delivered_here & carried, F.lit(False)).alias("deliveries_unknown"),
        F.least("nack_count", failed).cast("bigint").alias("nacks"),
        F.least("lease_expiry_count", failed).cast("bigint").alias("lease_expiries"),
        (F.col("nack_count") + F.col("lease_expiry_count") > 0).alias("failed_before"),
    )


def with_leases(stays: DataFrame) -> DataFrame:
    """When consumers had the message: exact for one delivery, else an estimate, and marked as one.

    A single delivery that ended in an ack lasted until then, one that goes on still lasts. Of several, the
    time between the first and the last is taken for one long lease: when each ended is not kept.
    """
    leased = F.col("leased_until").isNotNull()
    acked = F.coalesce(F.col("outcome") == "acked", F.lit(False))
    held_to_the_end = acked | F.coalesce(F.col("outcome") == "dead_lettered", F.lit(False))
    lease_ended_at = (
        F.when(leased, F.greatest("leased_until", "last_delivered_at"))
        .when(held_to_the_end, F.col("ended_at"))
        .otherwise(F.col("last_delivered_at"))
    )
    exact = (
        (F.col("deliveries") == 1) & (acked | leased) & ~F.col("failed_before") & ~F.col("deliveries_unknown")
    )
    return stays.withColumns(
        {
            "lease_began_at": F.col("first_delivered_at"),
            "lease_ended_at": F.when(F.col("first_delivered_at").isNotNull(), lease_ended_at),
            "lease_estimated": ~exact,
        }
    )


def _by_the_end(time: Column) -> Column:
    """Clocks that disagree must not let a message be delivered after it is gone."""
    return F.when(time.isNotNull(), F.least(time, _end()))


def _end() -> Column:
    """Nor be gone before it came."""
    return F.when(F.col("ended_at").isNotNull(), F.greatest("ended_at", "enqueued_at"))
