"""How old the oldest message of a queue was, rebuilt exactly.

A stay is ever the oldest of its queue only if it lasts longer than every stay that began before it. Those few
follow one another without overlap: each is the oldest from the end of the one before, or from its own begin,
to its own end. So every bucket's end falls to one of them at most, and a row for each is all it takes.

The longest end of all earlier stays is had in two steps, so that no queue has to be sorted in one piece:
within the bucket in which a stay began, and over all buckets before.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_jobs.transforms.instants import MICROS, bucket_of
from spark_jobs.windows import Window

NEVER = 2**62  # the end of a stay that goes on
BEFORE_ALL = -(2**62)


def oldest(stays: DataFrame, window: Window) -> DataFrame:
    """The age of the oldest message at the end of each bucket, and the greatest age any had within it."""
    seen = F.concat(_at_bucket_ends(window), F.array(_at_its_end(window)))
    return (
        _records(stays, window)
        .select("queue_id", F.inline(seen))
        .where(F.col("bucket").between(window.first, window.end - 1))
        .groupBy("queue_id", "bucket")
        .agg(
            F.max("oldest_age_seconds").alias("oldest_age_seconds"),
            F.max("age_seconds").alias("oldest_age_max_seconds"),
        )
    )


def _records(stays: DataFrame, window: Window) -> DataFrame:
    """The stays that were the oldest at some time, and since when: (queue_id, began, oldest_from, ended)."""
    timed = stays.select(
        "queue_id",
        bucket_of(F.col("enqueued_at"), window.bucket_seconds).alias("began_in"),
        F.unix_micros("enqueued_at").alias("began"),
        F.coalesce(F.unix_micros("ended_at"), F.lit(NEVER)).alias("ended"),
    )
    earlier_buckets = (
        Over.partitionBy("queue_id").orderBy("began_in").rowsBetween(Over.unboundedPreceding, -1)
    )
    carried = (
        timed.groupBy("queue_id", "began_in")
        .agg(F.max("ended").alias("longest"))
        .select("queue_id", "began_in", F.max("longest").over(earlier_buckets).alias("longest_before"))
    )
    earlier_here = (
        Over.partitionBy("queue_id", "began_in")
        .orderBy("began", "ended")
        .rowsBetween(Over.unboundedPreceding, -1)
    )
    longest_earlier = F.greatest("longest_here", "longest_before", F.lit(BEFORE_ALL))
    return (
        timed.withColumn("longest_here", F.max("ended").over(earlier_here))
        .join(carried, ["queue_id", "began_in"])
        .where(F.col("ended") > longest_earlier)
        .select("queue_id", "began", F.greatest("began", longest_earlier).alias("oldest_from"), "ended")
    )


def _at_bucket_ends(window: Window) -> Column:
    """A stay that ends exactly then was still there a moment before."""
    size = window.bucket_seconds * MICROS
    first = F.greatest(
        F.col("oldest_from") - F.col("oldest_from") % size + size,
        F.lit((window.first + window.bucket_seconds) * MICROS),
    )
    last = F.least(F.col("ended") - F.col("ended") % size, F.lit(window.end * MICROS))
    instants = F.sequence(first, F.greatest(first, last), F.lit(size).cast("bigint"))
    return F.transform(
        F.filter(instants, lambda instant: instant <= last),
        lambda instant: _seen(instant - size, _age(instant), _age(instant)),
    )


def _at_its_end(window: Window) -> Column:
    last_moment = F.col("ended") - 1
    size = window.bucket_seconds * MICROS
    return _seen(last_moment - last_moment % size, F.lit(None).cast("double"), _age(F.col("ended")))


def _seen(bucket_begins: Column, oldest_age: Column, age: Column) -> Column:
    return F.struct(
        (bucket_begins / MICROS).cast("bigint").alias("bucket"),
        oldest_age.alias("oldest_age_seconds"),
        age.alias("age_seconds"),
    )


def _age(instant: Column) -> Column:
    return (instant - F.col("began")) / MICROS
