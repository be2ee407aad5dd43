"""Percentiles of many buckets together, which cannot be had from the percentiles of each.

A sketch counts values by size, in steps that grow by a fixed ratio, as DDSketch does. Sketches add up, and any
percentile read from the sum is wrong by 2 % at the most. It is JSON: {"step": count}.
"""

import math

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

ERROR = 0.02
RATIO = (1 + ERROR) / (1 - ERROR)
SMALLEST = 0.001  # seconds, as finely as spans are measured

ENTRIES = "map<string,bigint>"


def sketches(events: DataFrame, measure: str) -> DataFrame:
    """`<measure>_sketch` of every queue and bucket that has values."""
    counted = (
        events.where(F.col(measure).isNotNull())
        .groupBy("queue_id", "bucket", _step(F.col(measure)).alias("step"))
        .count()
    )
    entries = F.array_sort(F.collect_list(F.struct("step", "count")))
    pairs = F.transform(entries, lambda entry: F.struct(entry["step"].cast("string"), entry["count"]))
    return counted.groupBy("queue_id", "bucket").agg(
        F.to_json(F.map_from_entries(pairs)).alias(f"{measure}_sketch")
    )


def percentiles(buckets: DataFrame, column: str, shares: dict[str, float]) -> DataFrame:
    """Of every queue, all its sketches added up: the value below which that share of the values lies."""
    steps = reached(counts(buckets, column), shares)
    return steps.select("queue_id", *(_value(F.col(name)).alias(name) for name in shares))


def counts(buckets: DataFrame, column: str) -> DataFrame:
    """The entries of a JSON of counts by step, those of all buckets: (queue_id, step, count)."""
    entries = buckets.select("queue_id", F.explode(F.from_json(column, ENTRIES)).alias("step", "count"))
    step = F.regexp_replace("step", r"\+$", "").cast("int")  # the last of a histogram is "10+"
    return entries.groupBy("queue_id", step.alias("step")).agg(F.sum("count").alias("count"))


def reached(steps: DataFrame, shares: dict[str, float]) -> DataFrame:
    """Of every queue, the step by which that share of all counts is reached."""
    by_size = Window.partitionBy("queue_id").orderBy("step")
    everything = Window.partitionBy("queue_id")
    running = steps.withColumns(
        {"so_far": F.sum("count").over(by_size), "total": F.sum("count").over(everything)}
    )
    return running.groupBy("queue_id").agg(
        *(
            F.min(F.when(F.col("so_far") >= F.ceil(F.col("total") * share), F.col("step"))).alias(name)
            for name, share in shares.items()
        )
    )


def _step(value: Column) -> Column:
    return F.ceil(F.log(F.greatest(value, F.lit(SMALLEST))) / math.log(RATIO)).cast("int")


def _value(step: Column) -> Column:
    """The value in the middle of a step: no value of the step is further away than the error."""
    return 2 * F.pow(F.lit(RATIO), step) / (RATIO + 1)
