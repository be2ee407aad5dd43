"""What runs wrote, to be compared with what other runs wrote."""

from datetime import UTC, datetime
from typing import Any

from queues.models import DlqErrorMetrics, QueueGroupMetrics, QueueMetrics

FOREVER = datetime.max.replace(tzinfo=UTC)
TABLES = (QueueMetrics, QueueGroupMetrics, DlqErrorMetrics)


def rows(stop: datetime = FOREVER) -> list[tuple[str, dict[str, Any]]]:
    """Every row of every bucket that begins before then, but for who wrote it."""
    return [
        (table.__name__, {**row, "run_id": None})
        for table in TABLES
        for row in table.objects.filter(bucket_start__lt=stop).order_by("pk").values()
    ]
