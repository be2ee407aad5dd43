from datetime import timedelta

import pytest
from django.utils import timezone

from queues.maintenance import old_metrics
from queues.models import MetricsRun, QueueMetrics, RunStatus

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def bucket(size: int, days: float) -> None:
    QueueMetrics.objects.create(
        team_id=1,
        queue_id=1,
        bucket_seconds=size,
        bucket_start=NOW - timedelta(days=days),
        run_id=1,
        sent_per_second=0,
        received_per_second=0,
        acked_per_second=0,
        retries_histogram={},
        processing_sketch={},
    )


def test_it_forgets_minutes_first_and_hours_last():
    for size in (60, 300, 3600):
        for days in (13, 15, 61, 401):
            bucket(size, days)
    assert old_metrics.run_once(1_000, NOW) == 6
    kept = QueueMetrics.objects.values_list("bucket_seconds", "bucket_start")
    assert {(size, (NOW - start).days) for size, start in kept} == {
        (60, 13),
        (300, 13),
        (300, 15),
        (3600, 13),
        (3600, 15),
        (3600, 61),
    }


def test_it_forgets_old_runs():
    for days in (1, 15):
        at = NOW - timedelta(days=days)
        MetricsRun.objects.create(
            status=RunStatus.SUCCEEDED,
            bucket_seconds=60,
            window_from=at,
            window_to=at,
            settled_until=at,
            started_at=at,
            finished_at=at,
        )
    assert old_metrics.run_once(1_000, NOW) == 1
