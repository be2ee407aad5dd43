"""Frames that are computed once, however often they are gone over."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pyspark.sql import DataFrame

from spark_jobs.errors import JAVA_GONE


@contextmanager
def kept(frame: DataFrame) -> Iterator[DataFrame]:
    """What a lost worker had is read again, and is the same."""
    try:
        yield frame.persist()
    finally:
        with suppress(*JAVA_GONE):  # what Spark kept went with it; why it is gone is being told already
            frame.unpersist()
