"""Times as numbers: buckets are numbered by their start, in seconds of the epoch."""

from pyspark.sql import Column
from pyspark.sql import functions as F

MICROS = 1_000_000


def bucket_of(time: Column, bucket_seconds: int) -> Column:
    """The start of the bucket that an instant belongs to."""
    seconds = F.unix_seconds(time)
    return seconds - seconds % bucket_seconds


def span_seconds(start: Column, stop: Column) -> Column:
    """From one instant to another, to the millisecond: finer steps would only be noise. Never below zero.

    It also bounds how many different values there are, which the exact percentiles keep count of.
    """
    millis = F.round((F.unix_micros(stop) - F.unix_micros(start)) / 1000)
    return F.when(millis > 0, millis / 1000).when(millis <= 0, 0.0)


def in_millis(seconds: Column) -> Column:
    """As whole numbers: their sum is the same to the last digit, in whatever order they come."""
    return F.round(seconds * 1000).cast("bigint")


def summed_seconds(spans: Column) -> Column:
    return F.coalesce(F.sum(in_millis(spans)), F.lit(0)) / 1000


def micros_until(time: Column, second: Column) -> Column:
    """From an instant to a full second, exactly."""
    return second * MICROS - F.unix_micros(time)
