"""Frames that are computed once, however often they are gone over."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame


@contextmanager
def kept(frame: DataFrame) -> Iterator[DataFrame]:
    try:
        yield frame.persist()
    finally:
        with suppress(Py4JError):  # what Spark kept went with it; why it is gone is being told already
            frame.unpersist()
