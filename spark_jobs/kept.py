"""Frames that are kept while they are worked on."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame

JAVA_GONE = (Py4JError, ConnectionError)  # the first call finds nobody there, the next cannot even connect


@contextmanager
def kept(frame: DataFrame) -> Iterator[DataFrame]:
    """Computed once, however often it is gone over. What a lost worker had is computed again."""
    try:
        yield frame.persist()
    finally:
        with suppress(*JAVA_GONE):  # what Spark kept went with it, and the results may be written
            frame.unpersist()
