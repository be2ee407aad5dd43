import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from queues.models import MetricsRun, MetricsWatermark, Queue, RunStatus
from tests.factories import ready_message
from tests.queues.api.caller import Caller, assert_problem

# Two worker processes leave their figures in one directory; a third adds them up.
WORKER = """
import django; django.setup()
from queues.api.request_metrics import HISTOGRAM
HISTOGRAM.labels("GET", "queues", 200).observe(0.01)
"""
READER = """
import django; django.setup()
from queues.api.request_metrics import exposition
print(exposition().decode())
"""


pytestmark = pytest.mark.django_db


def test_it_tells_how_full_the_queues_are(queue: Queue) -> None:
    ready_message(queue)
    page = Client().get("/metrics").content.decode()
    assert f'simplemq_queue_depth{{queue="{queue.name}",team="{queue.team.name}"}} 1.0' in page


def test_it_answers_without_the_queues_while_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(most: int) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(Queue.objects, "gauges", away)
    page = Client().get("/metrics").content.decode()
    assert "simplemq_http_request_seconds" in page
    assert "simplemq_queue_depth" not in page


def test_it_counts_what_the_database_is_asked() -> None:
    Queue.objects.count()
    assert "django_db_execute_total" in Client().get("/metrics").content.decode()


def test_it_is_open_to_this_machine() -> None:
    response = Client().get("/metrics")
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain")
    assert b"simplemq_http_request_seconds" in response.content


@pytest.mark.parametrize("address", ["127.0.0.2", "::1"])
def test_it_knows_every_loopback_address(address: str) -> None:
    assert Client(REMOTE_ADDR=address).get("/metrics").status_code == 200


@pytest.mark.parametrize("address", ["10.0.0.1", "2001:db8::1", "", "unix:", "localhost"])
def test_it_is_closed_to_others(address: str) -> None:
    response = Client(REMOTE_ADDR=address).get("/metrics")
    assert_problem(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_it_is_closed_to_those_behind_a_proxy_on_this_machine(header: str) -> None:
    assert_problem(Client().get("/metrics", headers={header: "127.0.0.1"}), 401, "not_authenticated")


def asked_from_afar(authorization: str) -> int:
    return Client(REMOTE_ADDR="10.0.0.1").get("/metrics", HTTP_AUTHORIZATION=authorization).status_code


def test_it_opens_with_its_token(settings: Settings) -> None:
    settings.SIMPLEMQ_METRICS_TOKEN = "scrape-me"
    assert asked_from_afar("Bearer scrape-me") == 200
    assert asked_from_afar("Bearer scrape-you") == 401
    assert asked_from_afar("Bearer ü") == 401


def test_it_has_no_token_unless_one_is_set(settings: Settings) -> None:
    settings.SIMPLEMQ_METRICS_TOKEN = ""
    assert asked_from_afar("Bearer ") == 401


def test_it_counts_requests_by_route_not_by_address(owner: Caller, queue: Queue, messages: str) -> None:
    owner.get(messages)
    page = Client().get("/metrics").content.decode()
    assert 'method="GET",route="queues/{queue_id}/messages",status="200"' in page
    assert queue.public_id not in page


def test_it_makes_no_label_of_what_a_caller_invents(owner: Caller) -> None:
    owner.http.generic("BREW", "/api/queues")
    owner.get("/invented")
    page = Client().get("/metrics").content.decode()
    assert 'method="other",route="queues",status="405"' in page
    assert 'route="none",status="404"' in page
    assert "BREW" not in page
    assert "invented" not in page


def test_it_adds_up_the_figures_of_all_workers(tmp_path: Path) -> None:
    environ = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for program in (WORKER, WORKER):
        subprocess.run([sys.executable, "-c", program], env=environ, check=True)
    page = subprocess.run([sys.executable, "-c", READER], env=environ, check=True, capture_output=True)
    line = 'simplemq_http_request_seconds_count{method="GET",route="queues",status="200"} 2.0'
    assert line in page.stdout.decode()


def test_it_tells_how_the_spark_job_does() -> None:
    now = timezone.now()
    run = dict.fromkeys(("window_from", "window_to", "settled_until"), now)
    run["started_at"] = now - timedelta(seconds=4)
    MetricsRun.objects.create(
        status=RunStatus.SUCCEEDED, bucket_seconds=60, stays_read=12, rows_written=3, finished_at=now, **run
    )
    MetricsRun.objects.create(status=RunStatus.FAILED, bucket_seconds=300, finished_at=now, **run)
    MetricsRun.objects.create(status=RunStatus.RUNNING, bucket_seconds=60, **run)
    MetricsWatermark.objects.create(bucket_seconds=60, computed_until=now - timedelta(hours=1), run_id=1)
    page = Client().get("/metrics").content.decode()
    for line in (
        'last_run_success{bucket_seconds="60"} 1.0',
        'last_run_success{bucket_seconds="300"} 0.0',
        'last_run_seconds{bucket_seconds="60"} 4.0',
        'last_run_stays{bucket_seconds="60"} 12.0',
        'last_run_rows{bucket_seconds="60"} 3.0',
        'lag_seconds{bucket_seconds="60"} 36',
    ):
        assert f"simplemq_metrics_job_{line}" in page
