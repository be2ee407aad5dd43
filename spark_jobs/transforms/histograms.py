"""Values counted by step, as JSON: what can be added up over buckets, as percentiles cannot.

`processing_sketch` counts spans in steps that grow by a fixed ratio, as DDSketch does: any percentile that is
read from a sum of sketches is wrong by 2 % at most. `retries_histogram` counts retries.
"""

import math

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_jobs.transforms.events import LEFT

ERROR = 0.02
RATIO = (1 + ERROR) / (1 - ERROR)
SMALLEST = 0.001  # seconds, as finely as spans are measured
MOST_RETRIES = 10  # more are counted with these

SKETCH, RETRIES = "processing_sketch", "retries_histogram"
ENTRIES = "map<string,bigint>"


def histograms(events: DataFrame) -> DataFrame:
    """Both of them, for every queue and bucket in which anything was acked."""
    is_ack = (F.col("event") == LEFT) & (F.col("outcome") == "acked")
    retries = F.least(F.greatest(F.col("deliveries") - 1, F.lit(0)), F.lit(MOST_RETRIES))
    steps = F.explode(
        F.array(
            F.struct(F.lit(SKETCH).alias("of"), _step(F.col("processing")).alias("step")),
            F.struct(F.lit(RETRIES).alias("of"), retries.cast("int").alias("step")),
        )
    )
    counted = (
        events.where(is_ack)
        .select("queue_id", "bucket", steps.alias("counted"))
        .where(F.col("counted.step").isNotNull())  # acked by its id, and never delivered
        .groupBy("queue_id", "bucket", "counted")
        .count()
    )
    return counted.groupBy("queue_id", "bucket").agg(_as_json(SKETCH), _as_json(RETRIES))


def percentiles(buckets: DataFrame, shares: dict[str, float]) -> DataFrame:
    """Of every queue, all its sketches added up: the span below which that share of the spans lies."""
    steps = reached(buckets, SKETCH, shares)
    return steps.select("queue_id", *(_value(F.col(name)).alias(name) for name in shares))


def reached(buckets: DataFrame, column: str, shares: dict[str, float]) -> DataFrame:
    """Of every queue, the step by which that share of all counts is reached."""
    by_size = Window.partitionBy("queue_id").orderBy("step")
    everything = Window.partitionBy("queue_id")
    running = (
        buckets.select("queue_id", F.explode(F.from_json(column, ENTRIES)).alias("label", "count"))
        .groupBy("queue_id", F.col("label").cast("int").alias("step"))
        .agg(F.sum("count").alias("count"))
        .withColumns({"so_far": F.sum("count").over(by_size), "total": F.sum("count").over(everything)})
    )
    return running.groupBy("queue_id").agg(
        *(
            F.min(F.when(F.col("so_far") >= F.ceil(F.col("total") * share), F.col("step"))).alias(name)
            for name, share in shares.items()
        )
    )


def _as_json(name: str) -> Column:
    entries = F.collect_list(F.when(F.col("counted.of") == name, F.struct("counted.step", "count")))
    return F.to_json(F.map_from_entries(F.transform(F.array_sort(entries), _labelled))).alias(name)


def _labelled(entry: Column) -> Column:
    return F.struct(entry["step"].cast("string"), entry["count"])


def _step(span: Column) -> Column:
    steps = F.ceil(F.log(F.when(span > SMALLEST, span).otherwise(SMALLEST)) / math.log(RATIO))
    return F.when(span.isNotNull(), steps.cast("int"))


def _value(step: Column) -> Column:
    """The value in the middle of a step: no value of the step is further away than the error."""
    return 2 * F.pow(F.lit(RATIO), step) / (RATIO + 1)
