"""The job is killed in the middle of a run. Nothing of it is to be seen, and the next run repairs it.

Real processes, held up by locks at the moment they are killed at.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from queues.models import MetricsRun, MetricsWatermark, Queue, QueueMetrics, RunStatus
from tests.simplemq.gunicorn_server import database_url, until
from tests.spark_jobs import written
from tests.spark_jobs.history import START, after, play
from tests.spark_jobs.job_process import JobProcess, run_metrics

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

HELD_UP = """
    SELECT query
      FROM pg_stat_activity
     WHERE application_name = 'simplemq metrics' AND wait_event_type = 'Lock' AND query LIKE %s
"""
COPIED = "SELECT relname FROM pg_class WHERE relpersistence = 't' AND relname = 'incoming_queue_metrics'"


@dataclass(frozen=True)
class Moment:
    lock: str  # what is in the way
    statement: str  # of what: those before it are done
    copied: bool  # whether there are results in temporary tables


READING = Moment("ONLY message_log IN ACCESS EXCLUSIVE MODE", "SELECT % FROM message_stay %", copied=False)
# The history that the last of the tables is computed from.
COPYING = Moment(
    "dlq_error_metrics IN ACCESS EXCLUSIVE MODE", "SELECT % FROM dlq_error_metrics %", copied=True
)
# The second of the tables that are replaced.
COMMITTING = Moment("queue_group_metrics IN SHARE MODE", "DELETE FROM queue_group_metrics %", copied=True)


class Past:
    """Half an hour of history, computed without a fault; then all but the first third is forgotten."""

    def __init__(self, run: Any, queue: Queue) -> None:
        play(queue, START, minutes=30, seed=4)
        run("--bucket", "5m")
        self.computed_until = MetricsWatermark.objects.get().computed_until
        self.uninterrupted = self.rows()
        for table in written.TABLES:
            table.objects.filter(bucket_start__gte=after(10)).delete()
        QueueMetrics.objects.filter(bucket_start=after(5)).update(sent=99)  # to be looked at again
        MetricsWatermark.objects.update(computed_until=after(10))
        self.forgotten = self.rows()
        assert len(self.forgotten) < len(self.uninterrupted)
        assert {name for name, _ in self.uninterrupted} == {table.__name__ for table in written.TABLES}

    def rows(self) -> list[Any]:
        return written.rows(self.computed_until)


@pytest.fixture
def past(run: Any, orders: Queue) -> Past:
    return Past(run, orders)


@contextmanager
def held_up(moment: Moment, folder: Path) -> Iterator[tuple[JobProcess, psycopg.Connection]]:
    """A run at that moment, and the connection that is in its way."""
    with psycopg.connect(database_url()) as holder, psycopg.connect(database_url(), autocommit=True) as other:

        def is_held_up() -> bool:
            return bool(other.execute(HELD_UP, [moment.statement]).fetchall())

        holder.execute(f"LOCK TABLE {moment.lock}")
        with run_metrics(folder, "--bucket", "5m") as job:
            job.until(is_held_up)
            assert bool(other.execute(COPIED).fetchall()) == moment.copied
            yield job, holder
            holder.rollback()
            # What was sent before the death is carried out, up to a commit that never comes.
            until(lambda: not is_held_up())


def repaired(run: Any, past: Past) -> None:
    """The next run finds what an uninterrupted one had found, and gets as far."""
    run("--bucket", "5m")
    assert past.rows() == past.uninterrupted
    assert MetricsWatermark.objects.get().computed_until >= past.computed_until
    assert not MetricsRun.objects.filter(status=RunStatus.RUNNING).exists()


@pytest.mark.parametrize("moment", [READING, COPYING, COMMITTING], ids=["reading", "copying", "committing"])
def test_a_killed_driver_leaves_nothing_and_the_next_run_repairs(run, past, tmp_path, moment):
    with held_up(moment, tmp_path) as (job, _):
        family = job.family()
        job.driver.kill()
        assert job.ended() == 128 + 9
        _, alive = psutil.wait_procs(family, 30)
        assert alive == []
    assert past.rows() == past.forgotten
    died = MetricsRun.objects.latest("id")
    assert died.status == RunStatus.RUNNING
    assert MetricsWatermark.objects.get().computed_until == after(10)
    repaired(run, past)
    died.refresh_from_db()
    assert (died.status, died.error) == (RunStatus.FAILED, "It was interrupted.")


@pytest.mark.parametrize("moment", [READING, COPYING], ids=["reading", "copying"])
def test_without_its_java_it_fails_and_the_next_run_repairs(run, past, tmp_path, moment):
    with held_up(moment, tmp_path) as (job, _):
        job.java.kill()
        assert job.ended() == 1
        told = job.told.read_text().splitlines()
        assert told[-1].startswith("run_metrics: Spark is gone")
    assert past.rows() == past.forgotten
    failed = MetricsRun.objects.latest("id")
    assert failed.status == RunStatus.FAILED
    assert failed.error.startswith("Spark is gone")
    repaired(run, past)


def test_what_needs_no_java_any_more_is_written(past, tmp_path):
    with held_up(COMMITTING, tmp_path) as (job, holder):
        java = job.java
        java.kill()
        until(lambda: java.status() == psutil.STATUS_ZOMBIE)
        holder.rollback()
        assert job.ended() == 0, job.told.read_text()
    assert past.rows() == past.uninterrupted
    assert MetricsRun.objects.latest("id").status == RunStatus.SUCCEEDED
    assert MetricsWatermark.objects.get().computed_until >= past.computed_until
