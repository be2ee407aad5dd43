"""What is measured, and about how long it takes: a bar that is roughly right is better than none."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

SIZES = (1_000_000, 10_000_000)
QUEUES, DAYS = 50, 7
KEPT_DAYS = 1  # of the log in the table, when older days go to the lake
BUCKET, BUCKET_SECONDS = "5m", 300
# What is added for a run that goes on from the last one: so many minutes, and so many rows in each. Ten
# million messages a week are a thousand a minute.
INCREMENTS = (1, 5)
ROWS_A_MINUTE = 1_000

START_SECONDS = 15.0
SPARK_START_SECONDS = 25.0
MILLION = 1e6
TABLE, LAKE = ("generate", "job", "query"), ("archive", "duckdb", "lake")


@dataclass(frozen=True)
class Plan:
    sizes: tuple[int, ...]

    @cached_property
    def until(self) -> datetime:
        """The last midnight before which everything is old enough for the lake."""
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=KEPT_DAYS)

    @property
    def since(self) -> datetime:
        return self.until - timedelta(days=DAYS)

    @property
    def largest(self) -> int:
        return max(self.sizes)

    @property
    def total_seconds(self) -> float:
        tables = sum(START_SECONDS + sum(self.steps(rows)[part] for part in TABLE) for rows in self.sizes)
        return tables + sum(self.steps(self.largest)[part] for part in (*LAKE, "increments"))

    def steps(self, rows: int) -> dict[str, float]:
        """Seconds of each, on two quiet cores."""
        millions = rows / MILLION
        return {
            "generate": 5 + 16 * millions,
            "job": SPARK_START_SECONDS + 30 * millions,
            "query": 12 * millions,
            "increments": len(INCREMENTS) * (SPARK_START_SECONDS + 20),
            "archive": SPARK_START_SECONDS + 10 * millions,
            "lake": SPARK_START_SECONDS + 25 * millions,
            "duckdb": 2 + 2 * millions,
        }
