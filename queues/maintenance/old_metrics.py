"""Forgets history that is too old to be looked at so closely: minutes first, hours last."""

from datetime import datetime, timedelta

from django.utils import timezone

from queues.models import DlqErrorMetrics, MetricsRun, QueueGroupMetrics, QueueMetrics

KEPT = {60: timedelta(days=14), 300: timedelta(days=60), 3600: timedelta(days=400)}
RUNS_KEPT = timedelta(days=14)


def run_once(batch: int, now: datetime | None = None) -> int:
    clock = now or timezone.now()
    gone = MetricsRun.objects.filter(started_at__lt=clock - RUNS_KEPT).delete()[0]
    for model in (QueueMetrics, QueueGroupMetrics, DlqErrorMetrics):
        for bucket_seconds, kept in KEPT.items():
            old = model.objects.filter(bucket_seconds=bucket_seconds, bucket_start__lt=clock - kept)
            gone += old.delete()[0]
    return gone
