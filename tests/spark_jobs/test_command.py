"""`manage.py run_metrics` as it comes: a process that starts a Spark of its own, and keeps it warm."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from queues.models import MetricsRun, MetricsWatermark, QueueMetrics, RunStatus
from queues.operations.ack import ack
from tests.factories import in_flight_message, new_queue, new_team
from tests.simplemq.gunicorn_server import ROOT, database_url
from tests.spark_jobs.conftest import LIGHT_JAVA

PATIENCE = 300  # seconds, on a busy machine


@pytest.mark.django_db(transaction=True)
def test_it_computes_again_and_again_until_it_is_stopped(tmp_path: Path) -> None:
    queue = new_queue(new_team(), name="orders")
    sent = timezone.now() - timedelta(minutes=5)
    delivery = in_flight_message(queue, now=sent)
    ack(queue, [delivery.receipt_handle], sent + timedelta(seconds=2))
    told = tmp_path / "stderr"
    with told.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run_metrics", "--every", "1s", "--bucket", "1m"],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": database_url(), "SPARK_SUBMIT_OPTS": LIGHT_JAVA},
            stderr=stderr,
        )
    try:
        _until_it_says("metrics.nothing_new", told, process)  # in the second of its runs
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0, told.read_text()
    finally:
        process.kill()
    [row] = QueueMetrics.objects.filter(acked=1)
    assert (row.queue_id, row.sent, row.processing_p50) == (queue.pk, 1, 2.0)
    run = MetricsRun.objects.earliest("id")
    assert (run.status, run.rows_written) == (RunStatus.SUCCEEDED, QueueMetrics.objects.count())
    assert MetricsWatermark.objects.get().computed_until >= run.window_to


def _until_it_says(words: str, told: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while words not in told.read_text():
        assert process.poll() is None, told.read_text()
        assert time.monotonic() < deadline, told.read_text()
        time.sleep(0.1)
