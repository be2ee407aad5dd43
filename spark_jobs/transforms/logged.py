"""Rows of the log as stays: what the view `message_stay` makes of them in the database."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def as_stays(log: DataFrame) -> DataFrame:
    return log.withColumns(
        {
            "ended_at": F.coalesce("left_at", "finished_at"),
            "leased_until": F.lit(None).cast("timestamp"),
            "stays": F.lit(1).cast("long"),
        }
    )
