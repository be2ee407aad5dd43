"""Puts letters into the lake. They are read back before they are shown: what is in the lake is verified.

They are written in a place of their own, where readers of the lake do not look; then each file is renamed,
which happens or does not. This is not left to Spark: what a killed job has left under the `_temporary` of a
folder, the next job that commits there takes for its own, and letters would be there twice.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from uuid import uuid4

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from spark_jobs.errors import JAVA_GONE, JobError
from spark_jobs.files import Files
from spark_jobs.lake import Lake

TABLE = "dead_letters"
OPTIONS = {
    "compression": "zstd",
    # A body may have a megabyte. Parquet gathers a group of rows in memory, and looks only now and then how
    # large it has become; a reader has to hold a group as well.
    "parquet.block.size": str(32 * 1024 * 1024),
    "parquet.page.size.row.check.min": "16",
    "parquet.page.size.row.check.max": "16",
}


class LetterSink:
    def __init__(self, spark: SparkSession, lake: Lake) -> None:
        self.spark = spark
        self.lake = lake
        self.files = Files(spark)

    @contextmanager
    def staging(self) -> Iterator[str]:
        """A place for one run, alone under its lock. What one that was killed has left goes first."""
        everybodys = f"{self.lake.root}/_staging/{TABLE}"
        self.files.remove(everybodys)
        try:
            yield f"{everybodys}/{uuid4().hex}"
        finally:
            with suppress(JobError, *JAVA_GONE):  # else the next run does it; what went wrong is told already
                self.files.remove(everybodys)

    def append(self, staging: str, day: date, letters: DataFrame) -> int:
        """The letters of one day, all of them or, if it is interrupted, whole files of them."""
        staged = f"{staging}/date={day.isoformat()}"
        seen = Observation()
        letters.observe(seen, F.count("*").alias("rows")).write.options(**OPTIONS).parquet(staged)
        rows = int(seen.get["rows"])
        verify(self.spark, staged, day, rows)
        if rows:
            self.files.move_parts(staged, self.lake.day(TABLE, day))
        return rows


def verify(spark: SparkSession, staged: str, day: date, rows: int) -> None:
    """As many are read back as were handed over, each with the body whose sum PostgreSQL computed."""
    is_same = F.sha2(F.col("body").cast("binary"), 256) == F.col("body_sha256")
    [(found, same)] = spark.read.parquet(staged).agg(F.count("*"), F.count_if(is_same)).collect()
    if not rows == found == same:
        raise JobError(
            f"The letters of {day.isoformat()} were not archived: of {rows} that were written "
            f"{found} can be read back, {same} of them as they were."
        )
