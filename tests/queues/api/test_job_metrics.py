"""What /metrics tells of the job that computes history."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from queues.models import MessageLog
from tests.factories import NOW
from tests.metrics_factories import metrics_run

pytestmark = pytest.mark.django_db


def figures() -> dict[str, float]:
    lines = Client().get("/metrics").content.decode().splitlines()
    own = (line.rpartition(" ") for line in lines if line.startswith("simplemq_metrics_job_"))
    return {name.removeprefix("simplemq_metrics_job_"): float(value) for name, _, value in own}


def test_it_says_nothing_where_the_job_has_never_run() -> None:
    assert figures() == {}


def test_it_tells_what_the_last_run_did() -> None:
    metrics_run(NOW - timedelta(hours=1), stays_read=1, rows_written=1)
    metrics_run(NOW, stays_read=70_000, rows_written=512)
    found = figures()
    assert found['last_run_seconds{bucket_seconds="300"}'] == 12.0
    assert found['last_run_stays{bucket_seconds="300"}'] == 70_000
    assert found['last_run_rows{bucket_seconds="300"}'] == 512
    assert found['last_run_success{bucket_seconds="300"}'] == 1


def test_it_tells_how_far_behind_it_is() -> None:
    metrics_run(timezone.now() - timedelta(minutes=10))
    assert 600 <= figures()['lag_seconds{bucket_seconds="300"}'] < 660


def test_it_tells_when_the_last_run_failed() -> None:
    metrics_run(NOW, rows_written=512)
    metrics_run(NOW + timedelta(minutes=1), status="failed", rows_written=None, error="no memory")
    assert figures()['last_run_success{bucket_seconds="300"}'] == 0


def test_a_run_under_way_changes_nothing() -> None:
    metrics_run(NOW, rows_written=512)
    metrics_run(NOW + timedelta(minutes=1), status="running", finished_at=None, rows_written=None)
    found = figures()
    assert (
        found['last_run_success{bucket_seconds="300"}'],
        found['last_run_rows{bucket_seconds="300"}'],
    ) == (1, 512)


def test_with_a_lake_it_tells_which_days_of_the_log_should_be_there(settings) -> None:
    settings.SIMPLEMQ_LAKE = "s3a://lake"
    MessageLog.objects.add_day(timezone.now().date() - timedelta(days=40))
    assert "simplemq_log_days_overdue 1.0" in Client().get("/metrics").content.decode()
    settings.SIMPLEMQ_LAKE = ""
    assert "simplemq_log_days" not in Client().get("/metrics").content.decode()
