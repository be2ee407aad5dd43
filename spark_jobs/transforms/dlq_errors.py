"""What killed the messages that came into dead-letter queues, and whether it is getting worse."""

from pyspark.sql import DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_jobs.transforms.instants import bucket_of
from spark_jobs.windows import Window

KEY = ["queue_id", "bucket", "fingerprint"]
TRAILING_BUCKETS = 24
RISING, FALLING = 2.0, 0.5


def deaths(stays: DataFrame, queues: DataFrame, window: Window) -> DataFrame:
    """Dead letters that arrived within the window, by fingerprint."""
    dlqs = queues.where(F.col("is_dlq")).select("queue_id")
    return (
        stays.where(F.col("fingerprint").isNotNull())
        .withColumn("bucket", bucket_of(F.col("enqueued_at"), window.bucket_seconds))
        .where(F.col("bucket").between(window.first, window.end - 1))
        .join(F.broadcast(dlqs), "queue_id", "left_semi")
        .groupBy(KEY)
        .agg(F.max("error_type").alias("error_type"), F.sum("stays").alias("dead_lettered"))
    )


def with_trend(deaths: DataFrame, earlier: DataFrame, window: Window) -> DataFrame:
    """Each bucket against the average of the 24 before it; `earlier` is what earlier runs found in those."""
    before = (
        Over.partitionBy("queue_id", "fingerprint")
        .orderBy("bucket")
        .rangeBetween(-TRAILING_BUCKETS * window.bucket_seconds, -1)
    )
    average = F.coalesce(F.sum("dead_lettered").over(before), F.lit(0)) / TRAILING_BUCKETS
    count, trailing = F.col("dead_lettered"), F.col("trailing_average")
    trend = (
        F.when(trailing == 0, "new")
        .when(count > RISING * trailing, "rising")
        .when(count < FALLING * trailing, "falling")
        .otherwise("steady")
    )
    return (
        deaths.unionByName(earlier.select(deaths.columns))
        .withColumn("trailing_average", average)
        .where(F.col("bucket") >= window.first)
        .select(*KEY, "error_type", "dead_lettered", "trailing_average", trend.alias("trend"))
    )


def as_deaths(rows: DataFrame) -> DataFrame:
    """Rows of dlq_error_metrics as `deaths` has them."""
    bucket = F.unix_seconds("bucket_start").alias("bucket")
    return rows.select("queue_id", bucket, "fingerprint", "error_type", "dead_lettered")
