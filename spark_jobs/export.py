"""History into the lake: days that are over, as the tables have them, whenever a run has touched them."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from pyspark.sql import SparkSession

from spark_jobs.config import Config
from spark_jobs.contract import DLQ_ERROR_METRICS, QUEUE_GROUP_METRICS, QUEUE_METRICS
from spark_jobs.days import bounds_of
from spark_jobs.lake import Lake
from spark_jobs.ledger import Ledger
from spark_jobs.log import say
from spark_jobs.sinks.lake import write_day
from spark_jobs.sources.tables import read_history

TABLES = (QUEUE_METRICS, QUEUE_GROUP_METRICS, DLQ_ERROR_METRICS)
# The service forgets minutes after two weeks. An older day may not be whole any more: in the lake it is.
DAYS = 13
ORDER = ("queue_id", "bucket_start")


def export_history(
    config: Config, lake: Lake, ledger: Ledger, start_spark: Callable[[], SparkSession]
) -> None:
    last_run = ledger.last_run()
    for bucket_seconds, day in ledger.unexported(lake, last_run, DAYS):
        if config.dry_run:
            print(f"history of {day} by {bucket_seconds} s would be exported")
        else:
            _export(start_spark(), replace(config, queue_id=None), lake, bucket_seconds, day)
    if not config.dry_run:
        ledger.note_exported(lake, last_run)


def _export(spark: SparkSession, config: Config, lake: Lake, bucket_seconds: int, day: date) -> None:
    began = time.monotonic()
    for table in TABLES:
        history = read_history(spark, config, table, bucket_seconds, *bounds_of(day))
        path = lake.day(table.name, day, f"bucket_seconds={bucket_seconds}")
        write_day(history.drop("bucket_seconds"), path, ORDER)
    say("export.written", day=day, bucket_seconds=bucket_seconds, seconds=time.monotonic() - began)
