"""Dead letters: which of them are about to expire, what is in them, and which of them a lake has already."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from uuid import UUID

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.arguments import Common
from spark_jobs.contract import DEAD_LETTER
from spark_jobs.database import Connection
from spark_jobs.files import Files
from spark_jobs.lake import Lake
from spark_jobs.sources import statements
from spark_jobs.sources.postgres import reading, struct_of

KEY = list(DEAD_LETTER.key)
# What has to be known of a letter before it is opened.
OUTSIDE = [*KEY, "queue_name", "size_bytes"]
INSIDE = list(DEAD_LETTER.columns)
LETTERS_AT_ONCE = 500  # in one statement


def any_dying(source: Connection, until: datetime, queue_id: int | None) -> bool:
    for setting in statements.BY_INDEX:
        source.execute(setting)
    [statement] = statements.dying_letters(["queue_id"], until, queue_id)
    row = source.execute(f"SELECT EXISTS ({statement}) AS yes").fetchone()
    return row is not None and bool(row.yes)


def read_dying(spark: SparkSession, config: Common, until: datetime) -> DataFrame:
    """Letters that expire up to then, unopened: a row each, however large they are."""
    reader = (
        spark.read.format("simplemq")
        .option("url", config.source_url)
        .option("read", "letters")
        .option("columns", ",".join(OUTSIDE))
        .option("until", until.isoformat())
    )
    if config.queue_id is not None:
        reader = reader.option("queue_id", str(config.queue_id))
    return reader.load()


def read_archived(spark: SparkSession, lake: Lake, days: Sequence[date]) -> DataFrame:
    """The keys of letters that the lake has of these days. Columns that came later do not matter."""
    files = Files(spark)
    folders = [path for day in days if files.exists(path := lake.day("dead_letters", day))]
    schema = struct_of(DEAD_LETTER, KEY)
    return spark.read.schema(schema).parquet(*folders) if folders else spark.createDataFrame([], schema)


def opened(letters: DataFrame, url: str) -> DataFrame:
    """These letters with all that is in them, in as many readers as there are partitions."""
    return letters.select(KEY).mapInArrow(Opener(url), struct_of(DEAD_LETTER, INSIDE))


class Opener:
    """What a worker does with the keys it is given. Bodies pass through by the megabyte, not all at once."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with reading(self.url, statements.BY_INDEX) as cursor:
            for batch in batches:
                for start in range(0, batch.num_rows, LETTERS_AT_ONCE):
                    cursor.execute(statements.letters(INSIDE, _keys(batch.slice(start, LETTERS_AT_ONCE))))
                    yield from cursor.fetch_record_batch()


def _keys(batch: pa.RecordBatch) -> Iterator[tuple[int, UUID, datetime]]:
    for row in batch.to_pylist():
        yield row["queue_id"], UUID(row["message_id"]), row["dead_lettered_at"]
