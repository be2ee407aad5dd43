"""Stays of messages in queues, as the job reads them."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_jobs.config import Config
from spark_jobs.contract import MESSAGE_STAY
from spark_jobs.sources.log import read_archived
from spark_jobs.transforms.logged import as_stays
from spark_jobs.windows import Window

# What only tells which rows to read is not read.
COLUMNS = [name for name in MESSAGE_STAY.columns if name not in ("logged_at", "touched_at")]


def read_stays(spark: SparkSession, config: Config, window: Window) -> DataFrame:
    """Every stay that overlaps the window, once; `stays` is how many a row stands for."""
    if config.lake is None or not window.archived:
        return _from_database(spark, config, window)
    archived = _overlapping(as_stays(read_archived(spark, config.lake, window.archived)), config, window)
    if config.log == "lake":
        return archived
    return _from_database(spark, config, window).unionByName(archived)


def _from_database(spark: SparkSession, config: Config, window: Window) -> DataFrame:
    reader = (
        spark.read.format("simplemq")
        .option("read", "stays")
        .option("url", config.source_url)
        .option("columns", ",".join(COLUMNS))
        .option("start", window.start.isoformat())
        .option("stop", window.stop.isoformat())
        .option("settled_until", window.settled_until.isoformat())
        .option("elsewhere", " ".join(day.isoformat() for day in window.archived))
        .option("partitions", str(config.partitions))
    )
    if config.queue_id is not None:
        reader = reader.option("queue_id", str(config.queue_id))
    return reader.load()


def _overlapping(stays: DataFrame, config: Config, window: Window) -> DataFrame:
    overlapping = (F.col("enqueued_at") < F.lit(window.stop)) & (F.col("ended_at") >= F.lit(window.start))
    if config.queue_id is not None:
        overlapping &= F.col("queue_id") == config.queue_id
    return stays.where(overlapping).select(*COLUMNS, "stays")
