"""One archive: the dead letters that are about to expire and are not in the lake yet, with their bodies.

The lake is its own memory. A letter lies under the day it died, which nothing changes as long as it is that
letter: neither another retention nor a time in the trash, both of which move the day it expires. So all there
can be of a letter is in one folder, and a run looks into the folders of its letters only.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark_jobs import database
from spark_jobs.arguments import Common, Parser, common, positive
from spark_jobs.database import Connection
from spark_jobs.errors import JobError, UsageError
from spark_jobs.kept import kept
from spark_jobs.lake import Lake
from spark_jobs.log import say
from spark_jobs.runs import in_one_sentence
from spark_jobs.settled import wait_for_replica
from spark_jobs.sinks.letters import LetterSink
from spark_jobs.sources.letters import KEY, any_dying, opened, read_archived, read_dying

LOCK = 0x53_4D_51_44  # "SMQD": the dead letters of SimpleMQ, beside the lock of the metrics
DAY = timedelta(days=1)
SLICE_BYTES = 64 * 1024 * 1024  # of bodies, at the least, for a reader and a file of its own

VIEW_THERE = "SELECT to_regclass('dead_letter') IS NOT NULL AS yes"
QUEUE_THERE = "SELECT EXISTS (SELECT FROM queue WHERE id = %s) AS yes"
PRIMARY_NOW = "SELECT statement_timestamp() AS now, pg_current_wal_flush_lsn()::text AS lsn"

StartSpark = Callable[[], SparkSession]


@dataclass(frozen=True, kw_only=True)
class Config(Common):
    lake: Lake
    within: timedelta  # letters that expire by then are archived

    @classmethod
    def read(cls, argv: Sequence[str], env: Mapping[str, str]) -> "Config":
        parser = Parser("dead_letters", "Archive dead letters that are about to expire.", env)
        parser.add_argument(
            "--within",
            type=positive,
            default=DAY.total_seconds(),
            metavar="SECONDS",
            help="those that expire within so many seconds; else a day",
        )
        given = parser.parse_args(argv)
        fields: dict[str, Any] = common(given)
        if fields["lake"] is None:
            raise UsageError("Say where the lake is: set SIMPLEMQ_LAKE or give --lake.")
        return cls(**fields, within=timedelta(seconds=given.within))


def archive_once(config: Config, start_spark: StartSpark, now: datetime | None = None) -> None:
    """Spark is started only if a letter is about to expire."""
    with in_one_sentence(), closing(database.connect(config.database_url)) as primary:
        _check(primary, config.queue_id)
        with nullcontext() if config.dry_run else _alone_with(config.lake, primary):
            until = _end_of_horizon(primary, config, now)
            if until is None:
                say("dead_letters.none_expire", within=config.within)
            else:
                _archive(start_spark(), config, until)


def _check(primary: Connection, queue_id: int | None) -> None:
    if not _yes(primary, VIEW_THERE):
        raise JobError("The view of dead letters is not there: run manage.py migrate.")
    if queue_id is not None and not _yes(primary, QUEUE_THERE, queue_id):
        raise UsageError(f"There is no queue {queue_id}.")


def _alone_with(lake: Lake, primary: Connection) -> AbstractContextManager[None]:
    lake.check()
    return database.one_at_a_time(primary, LOCK, "Another archive of dead letters is under way.")


def _yes(primary: Connection, statement: str, *parameters: object) -> bool:
    row = primary.execute(statement, parameters).fetchone()
    return row is not None and bool(row.yes)


def _end_of_horizon(primary: Connection, config: Config, now: datetime | None) -> datetime | None:
    """Up to when letters that expire are archived; None if there are none."""
    at = primary.execute(PRIMARY_NOW).fetchone()
    assert at is not None  # noqa: S101  # it selects from nothing
    until: datetime = (now or at.now) + config.within
    with closing(database.connect(config.source_url, "the database to read from")) as source:
        wait_for_replica(source, at.lsn)
        return until if any_dying(source, until, config.queue_id) else None


def _archive(spark: SparkSession, config: Config, until: datetime) -> None:
    began = time.monotonic()
    with ExitStack() as at_hand:
        missing = _missing(spark, config, until, at_hand)
        counted = (
            missing.groupBy("day", "queue_id", "queue_name")
            .agg(F.count("*").alias("letters"), F.sum("size_bytes").alias("bytes"))
            .orderBy("day", "queue_id")
            .collect()
        )
        if config.dry_run:
            _tell(counted)
            return
        letters = _append(spark, config, missing, counted)
    say("dead_letters.done", letters=letters, until=until, seconds=time.monotonic() - began)


def _missing(spark: SparkSession, config: Config, until: datetime, at_hand: ExitStack) -> DataFrame:
    """Letters that the lake does not have, unopened, with the day each died."""
    day = F.to_date("dead_lettered_at").alias("day")
    dying = at_hand.enter_context(kept(read_dying(spark, config, until).select("*", day)))
    days = [row.day for row in dying.select("day").distinct().collect()]
    # Read once more because a worker was lost, there could be a day among them that nobody looked for.
    dying = dying.where(F.col("day").isin(days))
    archived = read_archived(spark, config.lake, days)
    return at_hand.enter_context(kept(dying.join(archived, KEY, "left_anti")))


def _append(spark: SparkSession, config: Config, missing: DataFrame, counted: Sequence[Row]) -> int:
    """Day by day: what is done stays done, and no reader of the lake has to sort bodies into folders."""
    sink = LetterSink(spark, config.lake)
    archived = 0
    with sink.staging() as staging:
        for day in sorted({row.day for row in counted}):
            began = time.monotonic()
            size = sum(row.bytes for row in counted if row.day == day)
            readers = min(config.partitions, 1 + size // SLICE_BYTES)
            letters = missing.where(F.col("day") == F.lit(day)).repartitionByRange(readers, *KEY)
            rows = sink.append(staging, day, opened(letters, config.source_url))
            say("dead_letters.archived", day=day, letters=rows, bytes=size, seconds=time.monotonic() - began)
            archived += rows
    return archived


def _tell(counted: Sequence[Row]) -> None:
    """What a dry run would have written."""
    by_queue: dict[int, Row] = {row.queue_id: row for row in counted}
    for queue_id, queue in sorted(by_queue.items()):
        rows = [row for row in counted if row.queue_id == queue_id]
        letters, size = sum(row.letters for row in rows), sum(row.bytes for row in rows)
        print(f"queue {queue_id} {queue.queue_name}: {letters} letters, {size} bytes")
    print(f"{sum(row.letters for row in counted)} letters would be archived")
