"""Days of the log: from the table, which has the last of them, and from the lake, which has the others."""

from collections.abc import Sequence
from datetime import date

from pyspark.sql import DataFrame, SparkSession

from spark_jobs.arguments import Common
from spark_jobs.contract import MESSAGE_LOG
from spark_jobs.lake import Lake
from spark_jobs.sources.postgres import struct_of

COLUMNS = list(MESSAGE_LOG.columns)


def read_day(spark: SparkSession, config: Common, day: date) -> DataFrame:
    return (
        spark.read.format("simplemq")
        .option("read", "log")
        .option("url", config.source_url)
        .option("columns", ",".join(COLUMNS))
        .option("day", day.isoformat())
        .option("partitions", str(config.partitions))
        .load()
    )


def read_archived(spark: SparkSession, lake: Lake, days: Sequence[date]) -> DataFrame:
    """By the names of columns: those that files of long ago do not have are null."""
    paths = [lake.day(MESSAGE_LOG.name, day) for day in days]
    return spark.read.schema(struct_of(MESSAGE_LOG, COLUMNS)).parquet(*paths)
