"""`manage.py run_metrics` as it comes: a process that starts a Spark of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from queues.models import MetricsRun, MetricsWatermark, QueueMetrics, RunStatus
from queues.operations.ack import ack
from tests.factories import in_flight_message, new_queue, new_team
from tests.simplemq.gunicorn_server import ROOT, database_url

pytestmark = pytest.mark.django_db(transaction=True)
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_metrics() -> Run:
    def run(*argv: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", "run_metrics", *argv],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": database_url(), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_it_computes_and_tells(run_metrics):
    queue = new_queue(new_team(), name="orders")
    sent = timezone.now() - timedelta(minutes=5)
    delivery = in_flight_message(queue, now=sent)
    ack(queue, [delivery.receipt_handle], sent + timedelta(seconds=2))
    done = run_metrics("--bucket", "1m")
    assert done.returncode == 0, done.stderr
    assert "metrics.written" in done.stderr
    [row] = QueueMetrics.objects.filter(acked=1)
    assert (row.queue_id, row.sent, row.processing_p50) == (queue.pk, 1, 2.0)
    run = MetricsRun.objects.get()
    assert (run.status, run.rows_written) == (RunStatus.SUCCEEDED, QueueMetrics.objects.count())
    assert MetricsWatermark.objects.get().computed_until == run.window_to
