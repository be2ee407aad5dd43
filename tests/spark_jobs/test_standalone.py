"""The very same job on a cluster: a master and a worker of their own, in other processes than the driver."""

from pathlib import Path
from typing import Any

import pytest

from queues.models import MetricsRun, Queue, QueueMetrics, RunStatus
from tests.spark_jobs.history import START, after, play
from tests.spark_jobs.job_process import run_metrics
from tests.spark_jobs.standalone import LOOPBACK, standalone
from tests.spark_jobs.written import rows

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
WINDOW = ("--from", START.isoformat(), "--to", after(30).isoformat(), "--bucket", "5m")


def test_a_cluster_finds_what_this_machine_finds(run: Any, orders: Queue, tmp_path: Path) -> None:
    play(orders, START, minutes=30, seed=5)
    run(*WINDOW)
    found_here = rows()
    assert found_here
    QueueMetrics.objects.all().delete()
    with standalone(tmp_path) as cluster:
        with run_metrics(tmp_path, *WINDOW, "--master", cluster.master, **LOOPBACK) as job:
            assert job.ended() == 0, job.told.read_text()
        [application] = cluster.state()["completedapps"]
        assert application["name"] == "simplemq metrics"
        assert cluster.executors(application["id"]) == ["0"]
    assert rows() == found_here
    assert MetricsRun.objects.latest("id").status == RunStatus.SUCCEEDED
