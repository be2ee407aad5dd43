"""The rows of the tables, column by column as the contract writes them."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_jobs.contract import DLQ_ERROR_METRICS, QUEUE_GROUP_METRICS, QUEUE_METRICS, SPARK_TYPES, Table
from spark_jobs.windows import Window

# Where nothing happened. Of spans and ages nothing was measured, which is not zero: they stay null.
EMPTY: dict[str, object] = {"bigint": 0, "integer": 0, "jsonb": "{}"}
RATED = ("sent", "received", "acked", "dead_lettered")
EMPTY_SUMS = ("processing_sum", *(f"{figure}_per_second" for figure in RATED))


def queue_metrics(rows: DataFrame, teams: DataFrame, window: Window, run_id: int) -> DataFrame:
    ended_by_consumers = F.col("acked") + F.col("dead_lettered")
    derived = {
        **{f"{figure}_per_second": F.col(figure) / window.bucket_seconds for figure in RATED},
        "first_attempt_success_rate": F.try_divide(F.col("first_attempt_acked"), ended_by_consumers),
    }
    return _written(rows.withColumns(derived), teams, QUEUE_METRICS, window, run_id)


def queue_group_metrics(groups: DataFrame, teams: DataFrame, window: Window, run_id: int) -> DataFrame:
    return _written(groups, teams, QUEUE_GROUP_METRICS, window, run_id)


def dlq_error_metrics(errors: DataFrame, teams: DataFrame, window: Window, run_id: int) -> DataFrame:
    return _written(errors, teams, DLQ_ERROR_METRICS, window, run_id)


def _written(rows: DataFrame, teams: DataFrame, table: Table, window: Window, run_id: int) -> DataFrame:
    complete = rows.join(F.broadcast(teams), "queue_id").withColumns(
        {
            "bucket_seconds": F.lit(window.bucket_seconds),
            "bucket_start": F.timestamp_seconds("bucket"),
            "run_id": F.lit(run_id),
        }
    )
    return complete.select(*(_column(name, kind) for name, kind in table.columns.items()))


def _column(name: str, kind: str) -> Column:
    empty = 0.0 if name in EMPTY_SUMS else EMPTY.get(kind)
    filled = F.col(name) if empty is None else F.coalesce(F.col(name), F.lit(empty))
    return filled.cast(SPARK_TYPES[kind]).alias(name)
