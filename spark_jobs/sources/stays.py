"""Stays of messages in queues, as the job reads them."""

from pyspark.sql import DataFrame, SparkSession

from spark_jobs.config import Config
from spark_jobs.contract import MESSAGE_STAY
from spark_jobs.windows import Window

# What only tells which rows to read is not read.
COLUMNS = [name for name in MESSAGE_STAY.columns if name not in ("logged_at", "touched_at")]


def read_stays(spark: SparkSession, config: Config, window: Window) -> DataFrame:
    """Every stay that overlaps the window, once; `stays` is how many a row stands for."""
    reader = (
        spark.read.format("simplemq")
        .option("read", "stays")
        .option("url", config.source_url)
        .option("columns", ",".join(COLUMNS))
        .option("start", window.start.isoformat())
        .option("stop", window.stop.isoformat())
        .option("settled_until", window.settled_until.isoformat())
        .option("partitions", str(config.partitions))
    )
    if config.queue_id is not None:
        reader = reader.option("queue_id", str(config.queue_id))
    return reader.load()
