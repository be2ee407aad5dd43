"""Old days of the log into the lake: written, read back, compared, and only then noted as being there.

The service drops a day when it is noted, and when the day still has the digest that is noted with it. Killed
anywhere on the way, a day is not noted, and the next run writes it again from the start.
"""

import time
from collections.abc import Callable
from datetime import date, timedelta

from pyspark.sql import SparkSession

from spark_jobs.config import Config
from spark_jobs.contract import MESSAGE_LOG
from spark_jobs.days import bounds_of
from spark_jobs.errors import JobError
from spark_jobs.lake import Lake
from spark_jobs.ledger import Ledger
from spark_jobs.log import say
from spark_jobs.settled import settled
from spark_jobs.sinks.lake import write_day
from spark_jobs.sources.log import read_archived, read_day
from spark_jobs.transforms.digest import Digest, digest

ORDER = ("queue_id", "finished_at")


def archive_log(config: Config, lake: Lake, ledger: Ledger, start_spark: Callable[[], SparkSession]) -> None:
    """Every day older than the retention that the lake does not have, or not as it is now."""
    for day in _outlived(config, ledger):
        there = ledger.digest_of(day)
        if ledger.archived(lake, day) == there:
            continue
        if config.dry_run:
            print(f"message_log of {day}: {there.rows} rows would be archived")
        else:
            _archive(start_spark(), config, lake, ledger, day, there)


def _outlived(config: Config, ledger: Ledger) -> list[date]:
    until = settled(ledger.primary, config.settle_seconds).until
    oldest_kept = ledger.today() - timedelta(days=config.log_retention_days)
    return [day for day in ledger.days() if day < oldest_kept and bounds_of(day)[1] <= until]


def _archive(
    spark: SparkSession, config: Config, lake: Lake, ledger: Ledger, day: date, there: Digest
) -> None:
    began = time.monotonic()
    path = lake.day(MESSAGE_LOG.name, day)
    write_day(read_day(spark, config, day), path, ORDER, there.rows)
    written = digest(read_archived(spark, lake, [day]))
    if written != there:
        raise JobError(
            f"The lake has {written.rows} rows of {day} with checksum {written.checksum}, the log has "
            f"{there.rows} with {there.checksum}: the day is not taken for archived, and stays in the log."
        )
    ledger.note_archived(lake, day, there)
    say("archive.written", day=day, rows=there.rows, path=path, seconds=time.monotonic() - began)
