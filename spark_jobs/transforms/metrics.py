"""From stays to the rows of the tables: all transforms, one after another."""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.contract import DLQ_ERROR_METRICS, QUEUE_GROUP_METRICS, QUEUE_METRICS, Table
from spark_jobs.transforms import tables
from spark_jobs.transforms.activity import activity
from spark_jobs.transforms.dlq_errors import deaths, with_trend
from spark_jobs.transforms.events import ARRIVED, DELIVERED, LEFT, REDELIVERED, events_of, in_window
from spark_jobs.transforms.groups import group_counts, group_shares, largest
from spark_jobs.transforms.held import DEPTH, LEASES, held
from spark_jobs.transforms.histograms import histograms
from spark_jobs.transforms.oldest import oldest
from spark_jobs.windows import Window


@dataclass(frozen=True)
class Metrics:
    queues: DataFrame
    groups: DataFrame
    errors: DataFrame
    shares: DataFrame  # of which both queues and groups are made: worth keeping at hand

    def by_table(self) -> list[tuple[Table, DataFrame]]:
        return [
            (QUEUE_METRICS, self.queues),
            (QUEUE_GROUP_METRICS, self.groups),
            (DLQ_ERROR_METRICS, self.errors),
        ]


def metrics(
    stays: DataFrame, queues: DataFrame, earlier_errors: DataFrame, window: Window, run_id: int
) -> Metrics:
    """`stays` as transforms/stays.py makes them, kept at hand: they are gone over several times."""

    def happened(*kinds: str) -> DataFrame:
        return in_window(events_of(stays, window, kinds), window)

    shares = group_shares(happened(ARRIVED, LEFT))
    errors = with_trend(deaths(stays, queues, window), earlier_errors, window)
    teams = stays.groupBy("queue_id").agg(F.max("team_id").alias("team_id"))
    rows = (
        held(events_of(stays, window, (*DEPTH, *LEASES)), window)
        .join(activity(happened(ARRIVED, DELIVERED, REDELIVERED, LEFT)), ["queue_id", "bucket"], "left")
        .join(histograms(happened(LEFT)), ["queue_id", "bucket"], "left")
        .join(oldest(stays, window), ["queue_id", "bucket"], "left")
        .join(group_counts(shares), ["queue_id", "bucket"], "left")
    )
    return Metrics(
        queues=tables.queue_metrics(rows, teams, window, run_id),
        groups=tables.queue_group_metrics(largest(shares), teams, window, run_id),
        errors=tables.dlq_error_metrics(errors, teams, window, run_id),
        shares=shares,
    )
