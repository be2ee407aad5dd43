"""How many rows of the log there are, and a checksum of all that is in them, whatever their order.

What `message_log_digest` computes in the database, column by column.
"""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_jobs.contract import MESSAGE_LOG

NOTHING = "\\N"
DIGITS = 15  # of each row's hash, as a number that a bigint holds


@dataclass(frozen=True)
class Digest:
    rows: int
    checksum: str


def digest(log: DataFrame) -> Digest:
    text = F.concat_ws("|", *(_text(name, kind) for name, kind in MESSAGE_LOG.columns.items()))
    number = F.conv(F.left(F.md5(text), F.lit(DIGITS)), 16, 10).cast("decimal(20, 0)")
    [row] = log.agg(F.count("*").alias("rows"), F.sum(number).alias("checksum")).collect()
    return Digest(row.rows, str(row.checksum or 0))


def _text(name: str, kind: str) -> Column:
    value = F.unix_micros(name) if kind == "timestamptz" else F.col(name)
    return F.coalesce(value.cast("string"), F.lit(NOTHING))
