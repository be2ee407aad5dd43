"""`manage.py run_metrics` as it comes: a process that starts a Spark of its own, which takes its time."""

import signal
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from django.utils import timezone

from queues.models import MetricsRun, MetricsWatermark, Queue, QueueMetrics, RunStatus
from queues.operations.ack import ack
from tests.factories import in_flight_message
from tests.spark_jobs.job_process import run_metrics

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
AT_ONCE = 30  # seconds, on a busy machine


def test_it_computes_again_and_again_until_it_is_stopped(orders: Queue, tmp_path: Path) -> None:
    sent = timezone.now() - timedelta(minutes=5)
    delivery = in_flight_message(orders, now=sent)
    ack(orders, [delivery.receipt_handle], sent + timedelta(seconds=2))
    with run_metrics(tmp_path, "--every", "1s", "--bucket", "1m") as job:
        job.until_it_says("metrics.nothing_new")  # in the second of its runs
        job.command.send_signal(signal.SIGTERM)
        assert job.ended() == 0, job.told.read_text()
    [row] = QueueMetrics.objects.filter(acked=1)
    assert (row.queue_id, row.sent, row.processing_p50) == (orders.pk, 1, 2.0)
    run = MetricsRun.objects.earliest("id")
    assert (run.status, run.rows_written) == (RunStatus.SUCCEEDED, QueueMetrics.objects.count())
    assert MetricsWatermark.objects.get().computed_until >= run.window_to


def test_nothing_of_it_outlives_a_command_that_is_killed(tmp_path: Path) -> None:
    with run_metrics(tmp_path, "--every", "1s", "--bucket", "1m") as job:
        job.until_it_says("metrics.nothing_new")
        family = job.family()
        assert job.driver in family
        assert job.java in family
        job.command.kill()
        _, alive = psutil.wait_procs(family, AT_ONCE)
        assert alive == []
