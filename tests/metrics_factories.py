"""History and advice as the Spark job writes them: rows that a test of a door needs."""

from datetime import UTC, datetime, timedelta
from typing import Any

from queues.models import (
    DlqErrorMetrics,
    MetricsRun,
    MetricsWatermark,
    Queue,
    QueueAdvice,
    QueueGroupMetrics,
    QueueMetrics,
)
from tests.factories import NOW

FIVE_MINUTES = 300
IDLE = {
    "run_id": 1,
    "sent_per_second": 0.0,
    "received_per_second": 0.0,
    "acked_per_second": 0.0,
    "retries_histogram": {},
    "processing_sketch": {},
}


def bucket(back: int = 0, seconds: int = FIVE_MINUTES) -> datetime:
    """Where a bucket begins: the one under way, or so many before it."""
    return datetime.fromtimestamp((NOW.timestamp() // seconds - back) * seconds, UTC)


def metrics_point(
    queue: Queue, start: datetime, bucket_seconds: int = FIVE_MINUTES, **figures: Any
) -> QueueMetrics:
    """A bucket of a queue's history, as the Spark job writes it."""
    return QueueMetrics.objects.create(
        team_id=queue.team_id,
        queue_id=queue.pk,
        bucket_seconds=bucket_seconds,
        bucket_start=start,
        **{**IDLE, **figures},
    )


def group_point(queue: Queue, group_id: str, start: datetime, **figures: Any) -> QueueGroupMetrics:
    """What one tenant had of a queue in a bucket."""
    usual = {
        "sent_share": 0.1,
        "processing_share": 0.1,
        "noisy": False,
        "run_id": 1,
        "bucket_seconds": FIVE_MINUTES,
    }
    return QueueGroupMetrics.objects.create(
        team_id=queue.team_id,
        queue_id=queue.pk,
        group_id=group_id,
        bucket_start=start,
        **{**usual, **figures},
    )


def advice_for(queue: Queue, kind: str = "visibility_timeout", **values: Any) -> QueueAdvice:
    """A row of advice; by default to double the visibility timeout."""
    usual = {
        "status": "change",
        "current_value": queue.visibility_timeout,
        "suggested_value": queue.visibility_timeout * 2.0,
        "figures": {"processing_p50": 4.0, "processing_p99": 30.0},
        "sample_size": 12_345,
        "confidence": "high",
        "observed_from": NOW - timedelta(days=7),
        "observed_to": NOW,
        "computed_at": NOW,
        "run_id": 1,
    }
    return QueueAdvice.objects.create(
        team_id=queue.team_id, queue_id=queue.pk, kind=kind, **{**usual, **values}
    )


def metrics_run(until: datetime = NOW, bucket_seconds: int = FIVE_MINUTES, **values: Any) -> MetricsRun:
    """The job has got so far."""
    usual = {
        "status": "succeeded",
        "window_from": until - timedelta(hours=1),
        "window_to": until,
        "settled_until": until,
        "stays_read": 1_000,
        "rows_written": 50,
        "started_at": until,
        "finished_at": until + timedelta(seconds=12),
    }
    run = MetricsRun.objects.create(bucket_seconds=bucket_seconds, **{**usual, **values})
    if run.status == "succeeded":
        MetricsWatermark.objects.update_or_create(
            bucket_seconds=bucket_seconds, defaults={"computed_until": until, "run_id": run.pk}
        )
    return run


def error_point(dlq: Queue, fingerprint: str, start: datetime, **values: Any) -> DlqErrorMetrics:
    """Dead letters of one kind that came in within an hour."""
    usual = {
        "bucket_seconds": 3_600,
        "dead_lettered": 1,
        "trailing_average": 0.0,
        "trend": "new",
        "run_id": 1,
    }
    return DlqErrorMetrics.objects.create(
        team_id=dlq.team_id,
        queue_id=dlq.pk,
        fingerprint=fingerprint,
        bucket_start=start,
        **{**usual, **values},
    )
