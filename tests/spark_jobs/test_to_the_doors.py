"""From the log through the real job to those who ask: history that was made up, so that it is known."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from pyspark.sql import SparkSession
from pytest_django import Settings

from dlq_console import history_charts
from dlq_console.advice_words import worded
from queues.models import MessageLog, Queue, Team
from queues.operations.advice import advice
from queues.operations.scaling import scaling
from spark_jobs.config import Config
from spark_jobs.runs import run_once
from tests.empty_log import empty_log
from tests.queues.api.caller import Caller
from tests.simplemq.gunicorn_server import database_url

UNTIL = timezone.now().replace(microsecond=0) - timedelta(minutes=10)


@pytest.fixture
def written(
    transactional_db: None, spark: SparkSession, settings: Settings, tmp_path: Path
) -> Iterator[None]:
    settings.STATIC_ROOT = tmp_path  # nobody ran collectstatic, and its server would warn
    with empty_log():
        asked = ["--messages", "4000", "--queues", "4", "--days", "1", "--until", UNTIL.isoformat()]
        call_command("generate_history", *asked, stdout=StringIO())
        run_once(Config.read(["--bucket", "5m"], {"DATABASE_URL": database_url()}), lambda: spark)
        yield


@pytest.mark.usefixtures("written")
def test_what_the_log_holds_reaches_everybody_who_asks() -> None:
    owner = Caller(Team.objects.get(), "owner")
    for queue in Queue.objects.filter(is_dlq=False):
        since = (UNTIL - timedelta(days=2)).isoformat().replace("+00:00", "Z")
        history = owner.get(f"/api/queues/{queue.public_id}/metrics", **{"from": since, "bucket": 300}).json()
        own = MessageLog.objects.filter(queue_id=queue.pk)
        for name in ("acked", "dead_lettered", "expired"):
            assert sum(point[name] for point in history["points"]) == own.filter(outcome=name).count()
        told = owner.get(f"/api/queues/{queue.public_id}/advice").json()["advice"]
        assert {"visibility_timeout", "max_deliveries", "workers"} <= {one["kind"] for one in told}

    slow = Queue.objects.get(name="invoices-created")  # its work takes nearly as long as its lease
    [timeout] = [one for one in advice(slow) if one.setting == "visibility_timeout"]
    assert timeout.can_be_applied
    assert "to finish a message, instead of 30 s." in worded(timeout).sentence
    assert scaling(slow).per_worker_rate == pytest.approx(1 / 15, rel=0.5)

    drawn = history_charts.drawn(slow, history_charts.history(slow, history_charts.SPANS["1d"]))
    drawn_in_all = {chart.kind.code: sum(filter(None, chart.series[0])) for chart in drawn.charts}
    assert drawn_in_all["rates"] > 0
    assert drawn_in_all["processing"] > 0
