"""Old days of the log go into the lake, whole, and only then out of the database."""

import json
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from queues.maintenance.old_metrics import KEPT
from queues.models import ArchivedDay, MessageLog, MetricsRun, MetricsWatermark, QueueAdvice, QueueMetrics
from spark_jobs import archive, database, export
from spark_jobs.config import Config
from spark_jobs.days import bounds_of
from spark_jobs.errors import JobError
from spark_jobs.lake import Lake
from spark_jobs.ledger import Ledger
from spark_jobs.sinks.lake import write_day
from tests.metrics_factories import advice_for
from tests.simplemq.gunicorn_server import database_url
from tests.spark_jobs.archives import NEXT, NOON, OLD, archived, days_left, log_rows, logged, old_days
from tests.spark_jobs.history import play

pytestmark = pytest.mark.django_db(transaction=True)

WINDOW = ("--bucket", "1h", "--from", NOON.isoformat(), "--to", (NOON + timedelta(hours=1)).isoformat())


@pytest.fixture(autouse=True)
def _old_days(transactional_db):
    with old_days():
        yield


@pytest.fixture
def lake(tmp_path: Path, settings) -> Path:
    settings.SIMPLEMQ_LAKE = str(tmp_path / "lake")
    return tmp_path / "lake"


@pytest.fixture
def archive_all(spark, lake):
    """The last step of a run with a lake."""

    def archive_now(*argv: str) -> None:
        config = Config.read(
            ["--lake", str(lake), "--partitions", "2", *argv], {"DATABASE_URL": database_url()}
        )
        with closing(database.connect(config.database_url)) as primary:
            archive.archive_log(config, config.lake, Ledger(primary), lambda: spark)

    return archive_now


def test_the_lake_has_every_row_as_it_was(spark, lake, archive_all):
    log_rows(NOON, 3)
    before = logged()
    archive_all()
    assert len(before) == 6
    assert archived(spark, lake, OLD) == before
    assert archived(spark, lake, NEXT) == set()


def test_a_day_is_dropped_when_it_is_in_the_lake_and_not_before(spark, lake, archive_all):
    log_rows(NOON, 3)
    assert days_left() == {OLD, NEXT}
    archive_all()
    assert days_left() == set()
    assert logged() == set()
    assert len(archived(spark, lake, OLD)) == 6


def test_what_comes_to_a_day_afterwards_keeps_it_until_it_is_archived_again(spark, lake, archive_all):
    log_rows(NOON, 3)
    archive_all()
    log_rows(NOON, 1)
    assert days_left() == {OLD}
    before = logged()
    archive_all()
    assert days_left() == set()
    assert archived(spark, lake, OLD) == before


def test_another_lake_is_none(lake, archive_all, settings):
    archive_all()
    settings.SIMPLEMQ_LAKE = "s3a://elsewhere"
    assert days_left() == {OLD, NEXT}


def test_without_a_lake_days_are_dropped_as_ever(settings):
    settings.SIMPLEMQ_LAKE = ""
    assert days_left() == set()


def test_a_day_that_is_archived_is_not_written_again(lake, archive_all):
    archive_all()
    before = {path: path.stat().st_mtime_ns for path in lake.rglob("*.parquet")}
    archive_all()
    assert {path: path.stat().st_mtime_ns for path in lake.rglob("*.parquet")} == before


def test_days_within_the_retention_stay_where_they_are(lake, archive_all):
    archive_all("--log-retention-days", "45")
    assert not ArchivedDay.objects.exists()


def test_a_day_of_which_the_lake_has_not_all_is_not_noted(lake, archive_all, monkeypatch):
    """Whatever lost it on the way: here, a file that was cut short."""
    log_rows(NOON, 3)
    monkeypatch.setattr(archive, "write_day", lambda frame, *rest: write_day(frame.limit(5), *rest))
    with pytest.raises(JobError, match=f"The lake has 5 rows of {OLD} .* stays in the log"):
        archive_all()
    assert not ArchivedDay.objects.exists()
    assert days_left() == {OLD, NEXT}
    monkeypatch.undo()
    archive_all()  # over what the other has left
    assert ArchivedDay.objects.get(day=OLD).rows == 6


def test_a_dry_run_tells_what_it_would_archive(lake, archive_all, capsys):
    log_rows(NOON, 3)
    archive_all("--dry-run")
    assert f"message_log of {OLD}: 6 rows would be archived" in capsys.readouterr().out
    assert not lake.exists()
    assert not ArchivedDay.objects.exists()


@pytest.mark.parametrize("column", ["first_delivered_at", "left_at", "group_id", "error_type", "redrive_id"])
def test_the_checksum_tells_of_what_is_missing(column):
    log_rows(NOON, 1)
    before = checksum()
    MessageLog.objects.update(**{column: None})
    assert checksum() != before


def checksum() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT checksum FROM message_log_digest(%s)", [OLD])
        [(value,)] = cursor.fetchall()
    return value


def test_history_is_computed_the_same_from_the_lake(run, lake, orders):
    """By hand, of a day that was archived and dropped meanwhile; what is live comes from the database."""
    play(orders, NOON, minutes=40, seed=7)
    hours = ("--bucket", "5m", "--from", NOON.isoformat(), "--to", (NOON + timedelta(hours=2)).isoformat())
    run(*hours)
    before = history()
    assert sum(row["acked"] for row in before) > 5
    run(*hours, "--lake", str(lake))
    assert days_left() == set()
    run(*hours, "--lake", str(lake))
    assert history() == before
    run(*hours, "--lake", str(lake), "--log", "table")
    assert history() == before, "what was dropped from the table is not computed from it"


def test_the_lake_alone_tells_what_it_knows(run, lake, orders):
    play(orders, NOON, minutes=20, seed=8)
    hours = ("--bucket", "5m", "--from", NOON.isoformat(), "--to", (NOON + timedelta(hours=1)).isoformat())
    run(*hours, "--lake", str(lake))
    ended = [(row["bucket_start"], row["acked"], row["processing_p50"]) for row in history() if row["acked"]]
    QueueMetrics.objects.all().delete()
    advice = advice_for(orders)
    run("--bucket", "5m", "--from", NOON.isoformat(), "--lake", str(lake), "--log", "lake")
    assert [
        (row["bucket_start"], row["acked"], row["processing_p50"]) for row in history() if row["acked"]
    ] == ended
    assert not MetricsWatermark.objects.exists()
    assert QueueAdvice.objects.get() == advice, "what was long ago is no ground for advice"


def history() -> list[dict[str, Any]]:
    rows = QueueMetrics.objects.order_by("queue_id", "bucket_start").values()
    return [{name: value for name, value in row.items() if name != "run_id"} for row in rows]


def test_a_lake_that_is_empty_cannot_be_read_alone(run, lake):
    with pytest.raises(JobError, match="The lake has no day of the log yet"):
        run(*WINDOW, "--lake", str(lake), "--log", "lake")


def test_a_lake_that_cannot_be_written_to_is_told_before_anything_is_done(run, orders):
    with pytest.raises(JobError, match=r"Cannot write to the lake /proc/lake: .+\."):
        run(*WINDOW, "--lake", "/proc/lake")
    assert not MetricsRun.objects.exists()


@pytest.mark.parametrize("asked", [True, False], ids=["a window", "since the last run"])
def test_days_of_the_history_that_are_over_are_exported(run, spark, lake, orders, asked):
    start = bounds_of(timezone.now().date())[0] - timedelta(days=1, hours=1)
    play(orders, start, minutes=90, seed=9)
    if not asked:
        MetricsWatermark.objects.create(bucket_seconds=3600, computed_until=start, run_id=0)
    run("--bucket", "1h", "--lake", str(lake), *(["--from", start.isoformat()] if asked else []))
    for day, hours in ((start.date(), 1), (start.date() + timedelta(days=1), 24)):
        path = lake / "queue_metrics" / "bucket_seconds=3600" / f"date={day}"
        exported = spark.read.parquet(str(path)).where(f"queue_id = {orders.pk}").toArrow().to_pylist()
        here = QueueMetrics.objects.filter(queue_id=orders.pk, bucket_start__date=day).values()
        assert {
            (row["bucket_start"], row["sent"], row["depth"], row["processing_sketch"]) for row in exported
        } == {
            (row["bucket_start"], row["sent"], row["depth"], json.dumps(row["processing_sketch"]))
            for row in here
        }
        assert len(exported) == hours
    assert not (lake / "queue_metrics" / "bucket_seconds=3600" / f"date={timezone.now().date()}").exists()
    assert ledger_has_nothing_left(lake)


def ledger_has_nothing_left(lake: Path) -> bool:
    with closing(database.connect(database_url())) as primary:
        ledger = Ledger(primary)
        return ledger.unexported(Lake(str(lake)), ledger.last_run(), export.DAYS) == []


def test_what_the_service_has_begun_to_forget_is_not_exported():
    assert timedelta(days=export.DAYS + 1) <= min(KEPT.values())
