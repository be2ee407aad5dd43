"""Runs after runs: the same again, what is new, what came late, and those that fail."""

from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from queues.models import (
    MetricsRun,
    MetricsWatermark,
    Queue,
    QueueAdvice,
    QueueMetrics,
    RunStatus,
)
from queues.operations import redrive, redrive_run
from queues.operations.ack import ack
from queues.operations.receive import receive
from spark_jobs.errors import JobError, UsageError
from spark_jobs.ledger import LOCK
from spark_jobs.sinks import postgres as sink
from tests.factories import dead_letter, new_queue, ready_message
from tests.simplemq.gunicorn_server import database_url
from tests.spark_jobs.history import START, after, play
from tests.spark_jobs.written import rows

pytestmark = pytest.mark.django_db(transaction=True)
HALF_AN_HOUR = ("--from", START.isoformat(), "--to", after(30).isoformat(), "--bucket", "1m")
OPEN = "SELECT xact_start FROM pg_stat_activity WHERE application_name = 'simplemq metrics'"
UNDER_WAY = r"^Another metrics run is under way: this one has nothing to do\.$"


def acked(queue: Queue, sent: datetime, ended: datetime) -> None:
    ready_message(queue, now=sent)
    [delivery] = receive(queue, now=sent)
    ack(queue, [delivery.receipt_handle], ended)


def totals(queue: Queue) -> dict[str, int]:
    found = QueueMetrics.objects.filter(queue_id=queue.pk, bucket_seconds=60)
    return {name: sum(getattr(row, name) for row in found) for name in ("sent", "acked")}


def test_running_a_window_again_gives_the_same_rows(run, orders):
    play(orders, START, minutes=20, seed=3)
    run(*HALF_AN_HOUR)
    first = rows()
    run(*HALF_AN_HOUR)
    assert rows() == first
    assert MetricsRun.objects.filter(status=RunStatus.SUCCEEDED).count() == 2


def test_rows_of_a_window_that_are_no_longer_true_go(run, orders):
    acked(orders, after(1), after(2))
    run(*HALF_AN_HOUR)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM message_log")
    run(*HALF_AN_HOUR)
    assert not QueueMetrics.objects.exists()


def test_it_goes_on_from_where_the_last_run_ended(run, orders):
    recently = timezone.now() - timedelta(minutes=10)
    acked(orders, recently, recently + timedelta(seconds=30))
    run("--bucket", "1m")
    seen = MetricsWatermark.objects.get(bucket_seconds=60).computed_until
    assert timezone.now() - timedelta(minutes=3) < seen < timezone.now()
    assert totals(orders) == {"sent": 1, "acked": 1}
    # One that was logged before the watermark, and committed only now: it is found by looking again.
    late = seen - timedelta(minutes=2)
    acked(orders, late, late + timedelta(seconds=1))
    MetricsWatermark.objects.update(computed_until=seen - timedelta(minutes=1))
    run("--bucket", "1m")
    assert totals(orders) == {"sent": 2, "acked": 2}
    assert MetricsWatermark.objects.get(bucket_seconds=60).computed_until >= seen
    last = MetricsRun.objects.latest("id")
    assert last.stays_read == 1, "it read again what is long computed"


def test_one_queue_alone_leaves_the_others_and_the_watermark(run, orders):
    bills = new_queue(orders.team, name="bills")
    for queue in (orders, bills):
        acked(queue, after(1), after(2))
    run(*HALF_AN_HOUR)
    QueueMetrics.objects.update(sent=99)
    run(*HALF_AN_HOUR, "--queue", str(bills.pk))
    assert set(QueueMetrics.objects.filter(queue_id=orders.pk).values_list("sent", flat=True)) == {99}
    assert sum(QueueMetrics.objects.filter(queue_id=bills.pk).values_list("sent", flat=True)) == 1
    assert not MetricsWatermark.objects.exists()


def test_a_move_that_was_undone_was_none(run, orders):
    dlq = dead_letter(orders, now=after(1))
    task = redrive.start(dlq, now=after(5))
    redrive_run.advance(task.pk, 1_000, after(5))
    assert redrive.undo(task, after(7)) == 1
    run(*HALF_AN_HOUR)
    held = QueueMetrics.objects.filter(queue_id=dlq.pk).order_by("bucket_start")
    assert {row.depth for row in held} == {1}
    assert [row.sent for row in held if row.sent] == [1]
    last = held.last()
    assert last is not None
    assert last.oldest_age_seconds == 29 * 60


def test_a_dry_run_writes_nothing(run, orders, capsys):
    acked(orders, after(1), after(2))
    run(*HALF_AN_HOUR, "--dry-run")
    assert "queue_metrics: 2 rows" in capsys.readouterr().out
    assert not QueueMetrics.objects.exists()
    assert not MetricsRun.objects.exists()


def test_of_two_runs_at_once_the_second_says_so(run, orders):
    with psycopg.connect(database_url()) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        with pytest.raises(JobError, match=UNDER_WAY):
            run(*HALF_AN_HOUR)
    assert not MetricsRun.objects.exists()


def test_one_that_fails_half_way_leaves_everything_as_it_was(run, orders, monkeypatch):
    acked(orders, after(1), after(2))
    run(*HALF_AN_HOUR)
    before = rows()
    acked(orders, after(3), after(4))
    monkeypatch.setattr(sink, "SUCCEEDED", "UPDATE metrics_run SET nonsense = $1 WHERE id = $2 OR id = $3")
    with pytest.raises(JobError, match=r"The database refused: .*nonsense"):
        run(*HALF_AN_HOUR)
    assert rows() == before
    failed = MetricsRun.objects.latest("id")
    assert failed.status == RunStatus.FAILED
    assert "nonsense" in failed.error
    assert failed.finished_at is not None


def test_no_transaction_is_open_while_spark_computes(run, orders, monkeypatch):
    """It would keep dead rows of every queue from being vacuumed."""
    acked(orders, after(1), after(2))
    slices, seen = sink._slices, []

    def looking_around(*args: Any) -> Any:
        for part in slices(*args):
            with psycopg.connect(database_url()) as other:
                seen.extend(other.execute(OPEN).fetchall())
            yield part

    monkeypatch.setattr(sink, "_slices", looking_around)
    run(*HALF_AN_HOUR)
    assert len(seen) > 3, "nobody looked"
    assert {xact_start for [xact_start] in seen} == {None}


def test_a_run_that_died_is_noted_as_failed_by_the_next(run, orders):
    MetricsRun.objects.create(
        status=RunStatus.RUNNING,
        bucket_seconds=60,
        window_from=START,
        window_to=after(1),
        settled_until=after(1),
        started_at=after(1),
    )
    run(*HALF_AN_HOUR)
    assert MetricsRun.objects.earliest("id").error == "It was interrupted."


def test_a_queue_that_is_not_there_makes_no_sense(run, orders):
    with pytest.raises(UsageError, match=r"^There is no queue 987654\.$"):
        run(*HALF_AN_HOUR, "--queue", "987654")


def test_a_reader_that_cannot_be_reached_is_named(run, orders):
    with pytest.raises(JobError, match=r"Cannot reach the database to read from: .*refused"):
        run(*HALF_AN_HOUR, SIMPLEMQ_METRICS_SOURCE_URL="postgresql://nobody@127.0.0.1:1/nowhere")
    assert not MetricsRun.objects.exists()


def test_advice_comes_from_what_earlier_runs_found(run, orders):
    orders.target_age_seconds = 60
    orders.save()
    start = timezone.now() - timedelta(minutes=30)
    for number in range(120):
        sent = start + timedelta(seconds=10 * number)
        acked(orders, sent, sent + timedelta(seconds=4))
    run("--bucket", "1m")
    # The second run reads minutes of the log, and still knows of all hundred and twenty.
    MetricsWatermark.objects.update(computed_until=timezone.now() - timedelta(minutes=8))
    run("--bucket", "1m")
    advice = {row.kind: row for row in QueueAdvice.objects.filter(queue_id=orders.pk)}
    timeout = advice["visibility_timeout"]
    assert (timeout.sample_size, timeout.confidence) == (120, "low")
    assert timeout.suggested_value == pytest.approx(24, abs=1)
    assert timeout.figures["processing_p50"] == pytest.approx(4, rel=0.02)
    assert advice["workers"].suggested_value == 1
    assert advice["high_water_mark"].status == "change"
    assert {row.run_id for row in advice.values()} == {MetricsRun.objects.latest("id").pk}
