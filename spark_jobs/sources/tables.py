"""Whole small tables: the settings of queues, and what earlier runs computed."""

from datetime import datetime

from pyspark.sql import DataFrame, SparkSession

from spark_jobs.config import Config
from spark_jobs.contract import QUEUE, Table


def read_queues(spark: SparkSession, config: Config) -> DataFrame:
    return (
        spark.read.format("simplemq")
        .option("url", config.source_url)
        .option("read", "rows")
        .option("table", QUEUE.name)
        .option("columns", ",".join(QUEUE.columns))
        .load()
        .withColumnRenamed("id", "queue_id")
    )


def read_history(
    spark: SparkSession, config: Config, table: Table, bucket_seconds: int, start: datetime, stop: datetime
) -> DataFrame:
    """What is known of the buckets in [start, stop). A replica may not know yet what the last run wrote."""
    reader = (
        spark.read.format("simplemq")
        .option("url", config.database_url)
        .option("read", "rows")
        .option("table", table.name)
        .option("columns", ",".join(table.columns))
        .option("bucket_seconds", str(bucket_seconds))
        .option("start", start.isoformat())
        .option("stop", stop.isoformat())
    )
    if config.queue_id is not None:
        reader = reader.option("queue_id", str(config.queue_id))
    return reader.load()
