"""One run: what is new since the last one, or a window somebody asked for, for each size of bucket."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from datetime import timedelta

import adbc_driver_manager
import psycopg
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_jobs import database
from spark_jobs.archive import archive_log
from spark_jobs.config import BUCKETS, Config
from spark_jobs.contract import DLQ_ERROR_METRICS, QUEUE_ADVICE, QUEUE_METRICS
from spark_jobs.errors import JAVA_GONE, JobError, SparkLost, cause_in
from spark_jobs.export import export_history
from spark_jobs.kept import kept
from spark_jobs.ledger import Ledger
from spark_jobs.log import say
from spark_jobs.settled import settled, wait_for_replica
from spark_jobs.sinks import postgres as sink
from spark_jobs.sources.stays import read_stays
from spark_jobs.sources.tables import read_history, read_queues
from spark_jobs.transforms.advice import advice
from spark_jobs.transforms.dlq_errors import TRAILING_BUCKETS, as_deaths
from spark_jobs.transforms.metrics import Metrics, metrics
from spark_jobs.transforms.observed import observed
from spark_jobs.transforms.stays import normalised, with_leases, without_undone_moves
from spark_jobs.windows import State, Window, advances, plan

NAMES = {seconds: name for name, seconds in BUCKETS.items()}
NO_RUN = 0  # what a dry run notes down nowhere

StartSpark = Callable[[], SparkSession]


def run_once(config: Config, start_spark: StartSpark) -> None:
    """Spark is started only if there is anything to do: asking costs a connection, starting takes seconds."""
    with in_one_sentence(), closing(database.connect(config.database_url)) as primary:
        ledger = Ledger(primary)
        ledger.check(config.queue_id)
        if config.lake is not None and not config.dry_run:
            config.lake.check()
        with nullcontext() if config.dry_run else ledger.locked():
            for bucket_seconds in config.buckets:
                _run_size(config, ledger, bucket_seconds, start_spark)
            if config.lake is not None:
                export_history(config, config.lake, ledger, start_spark)
                archive_log(config, config.lake, ledger, start_spark)


def _run_size(config: Config, ledger: Ledger, bucket_seconds: int, start_spark: StartSpark) -> None:
    window = _next_window(config, ledger, bucket_seconds)
    if window is None:
        say("metrics.nothing_new", bucket=NAMES[bucket_seconds])
        return
    say("metrics.begun", bucket=NAMES[bucket_seconds], start=window.start, stop=window.stop)
    run_id = NO_RUN if config.dry_run else ledger.begin(window, config.queue_id)
    try:
        with in_one_sentence():
            _compute(start_spark(), config, ledger, window, run_id)
    except BaseException as problem:
        if run_id != NO_RUN:
            ledger.fail(run_id, str(problem) or "It was interrupted.")
        raise


def _next_window(config: Config, ledger: Ledger, bucket_seconds: int) -> Window | None:
    seen = settled(ledger.primary, config.settle_seconds)
    archived = ledger.archived_days(config.lake) if config.lake and config.log != "table" else []
    if config.log == "lake" and not archived:
        raise JobError("The lake has no day of the log yet.")
    state = State.of(config, seen.until, ledger.watermark(bucket_seconds), ledger.log_begins(), archived)
    window = plan(config, bucket_seconds, state)
    if window is not None:
        with closing(database.connect(config.source_url, "the database to read from")) as source:
            wait_for_replica(source, seen.lsn)
    return window


def _compute(spark: SparkSession, config: Config, ledger: Ledger, window: Window, run_id: int) -> None:
    began = time.monotonic()
    with ExitStack() as at_hand:
        queues = at_hand.enter_context(kept(read_queues(spark, config)))
        with kept(read_stays(spark, config, window)) as read:
            stays = with_leases(normalised(without_undone_moves(read, queues)))
            stays = at_hand.enter_context(kept(stays))
            stays_read = stays.count()
        say("metrics.read", stays=stays_read, seconds=time.monotonic() - began)
        found = metrics(stays, queues, _earlier_errors(spark, config, window), window, run_id)
        for frame in (found.shares, *(frame for _, frame in found.by_table())):
            at_hand.enter_context(kept(frame))
        given = _advice(spark, config, found, queues, window, run_id)
        if config.dry_run:
            _tell(found, given)
        else:
            _write(config, ledger, window, run_id, found, given, stays_read, began)


def _write(
    config: Config,
    ledger: Ledger,
    window: Window,
    run_id: int,
    found: Metrics,
    given: DataFrame | None,
    stays_read: int,
    began: float,
) -> None:
    rows = sink.write(
        config.database_url,
        sink.Result(
            run_id=run_id,
            window=window,
            queue_id=config.queue_id,
            buckets=found.by_table(),
            advice=None if given is None else (QUEUE_ADVICE, given),
            stays_read=stays_read,
            advances=advances(window, ledger.watermark(window.bucket_seconds), config),
        ),
    )
    say("metrics.written", rows=rows, run=run_id, seconds=time.monotonic() - began)


def _earlier_errors(spark: SparkSession, config: Config, window: Window) -> DataFrame:
    start = window.start - TRAILING_BUCKETS * window.size
    return as_deaths(
        read_history(spark, config, DLQ_ERROR_METRICS, window.bucket_seconds, start, window.start)
    )


def _advice(
    spark: SparkSession, config: Config, found: Metrics, queues: DataFrame, window: Window, run_id: int
) -> DataFrame | None:
    """From the finest buckets there are. A window of the past is no ground for advice on the present."""
    if window.bucket_seconds != config.buckets[0] or config.stop is not None or config.log == "lake":
        return None
    start = window.stop - timedelta(hours=config.advice_hours)
    earlier = read_history(spark, config, QUEUE_METRICS, window.bucket_seconds, start, window.start)
    recent = found.queues.where(F.col("bucket_start") >= F.lit(start))
    return advice(observed(earlier.unionByName(recent), queues, window), run_id)


def _tell(found: Metrics, given: DataFrame | None) -> None:
    """What a dry run would have written."""
    for table, frame in found.by_table():
        print(f"{table.name}: {frame.count()} rows")
    for row in given.orderBy("queue_id", "kind").collect() if given is not None else []:
        print(f"queue {row.queue_id}: {row.kind} {row.status}, {row.figures}")


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """Whatever the database or Spark has to say becomes the sentence of an error."""
    try:
        yield
    except Py4JJavaError as problem:
        raise SparkLost(f"Spark broke down: {cause_in(str(problem))}") from problem
    except JAVA_GONE as problem:
        raise SparkLost(f"Spark is gone: {database.in_one_line(problem)}") from problem
    except PySparkException as problem:
        raise JobError(f"Spark could not do it: {cause_in(str(problem))}") from problem
    except (psycopg.Error, adbc_driver_manager.Error) as problem:
        raise JobError(f"The database refused: {database.in_one_line(problem)}") from problem
