"""Parquet into the lake. A day is replaced as a whole, and with it whatever an interrupted run has left."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

ROWS_PER_FILE = 1_000_000


def write_day(frame: DataFrame, path: str, order: Sequence[str], rows: int = 0) -> None:
    """In that order within each file: what is alike lies together, and readers skip what they do not seek."""
    files = max(1, -(-rows // ROWS_PER_FILE))
    frame.repartition(files).sortWithinPartitions(*order).write.mode("overwrite").parquet(path)
