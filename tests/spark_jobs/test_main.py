"""What the job says when it cannot do what it is asked: one sentence, and a status of its own."""

import os
import signal
import threading
from contextlib import nullcontext

import psycopg
import pytest

from queues.models import MetricsRun
from spark_jobs.errors import JobError, SparkLost
from spark_jobs.jobs import metrics as job
from spark_jobs.ledger import LOCK
from tests.simplemq.gunicorn_server import database_url


@pytest.fixture(autouse=True)
def _same_signals_as_before():
    before = {number: signal.getsignal(number) for number in job.SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def answers(capsys):
    def answered(*argv: str, url: str = "") -> tuple[int, list[str]]:
        status = job.main(argv, {"DATABASE_URL": url or database_url()})
        return status, capsys.readouterr().err.splitlines()

    return answered


def test_what_makes_no_sense_is_2(answers):
    assert answers("--bucket", "2m") == (
        2,
        ["run_metrics: Argument --bucket: '2m' is no size of bucket; choose 1m, 5m, 1h."],
    )


def test_a_database_that_is_not_there_is_1(answers):
    status, [sentence] = answers(url="postgresql://nobody@127.0.0.1:1/nowhere")
    assert status == 1
    assert sentence.startswith("run_metrics: Cannot reach the database: ")
    assert "refused" in sentence


def test_a_database_that_makes_no_sense_is_1(answers):
    status, [sentence] = answers(url="what?")
    assert (status, sentence.split(":")[1]) == (1, " Cannot reach the database")


@pytest.mark.django_db(transaction=True)
def test_a_second_run_at_once_is_1(answers):
    with psycopg.connect(database_url()) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        assert answers() == (
            1,
            ["run_metrics: Another metrics run is under way: this one has nothing to do."],
        )


@pytest.mark.django_db(transaction=True)
def test_an_unknown_queue_is_2(answers):
    assert answers("--queue", "987654") == (2, ["run_metrics: There is no queue 987654."])


@pytest.mark.django_db(transaction=True)
def test_a_database_without_our_tables_is_1(answers, monkeypatch):
    monkeypatch.setattr("spark_jobs.ledger.TABLES_THERE", "SELECT false AS yes")
    assert answers() == (1, ["run_metrics: The tables of the metrics are not there: run manage.py migrate."])


@pytest.mark.django_db(transaction=True)
def test_a_master_that_is_not_there_is_1_and_noted_down(answers):
    """Spark is asked for only once there is something to compute, so the run has begun."""
    status, lines = answers("--master", "spark://127.0.0.1:1", "--bucket", "1m")
    assert status == 1
    assert lines[-1] == "run_metrics: No Spark master answers at spark://127.0.0.1:1."
    [run] = MetricsRun.objects.all()
    assert (run.status, run.error) == ("failed", "No Spark master answers at spark://127.0.0.1:1.")


def test_interrupted_is_130(answers, monkeypatch):
    def interrupt(*_):
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("it went on")

    monkeypatch.setattr(job, "run_once", interrupt)
    assert answers(url="postgresql://") == (130, [])


def test_it_tries_again_after_a_run_that_failed_and_stops_when_told(answers, monkeypatch):
    runs = []

    def fail_once(*_):
        runs.append(len(runs))
        if len(runs) == 1:
            raise JobError("The database is having a rest.")
        if len(runs) == 2:
            threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGTERM]).start()

    monkeypatch.setattr(job, "run_once", fail_once)
    monkeypatch.setattr(job.session, "when_needed", lambda master: nullcontext(lambda: None))
    status, [line] = answers("--every", "0.01", url="postgresql://")
    assert status == 0
    assert len(runs) > 1
    assert line.endswith('metrics.failed error="The database is having a rest."')


def test_it_does_not_go_on_without_spark(answers, monkeypatch):
    def lose_spark(*_):
        raise SparkLost("Spark is gone: the process was killed")

    monkeypatch.setattr(job, "run_once", lose_spark)
    monkeypatch.setattr(job.session, "when_needed", lambda master: nullcontext(lambda: None))
    assert answers("--every", "1", url="postgresql://") == (
        1,
        ["run_metrics: Spark is gone: the process was killed"],
    )
