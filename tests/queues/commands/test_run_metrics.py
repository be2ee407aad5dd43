"""What the command tells the job, seen from a job that only repeats it."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from queues.management.commands import run_metrics
from tests.factories import new_queue, new_team

JOB = """
import json, os, sys
names = ("DATABASE_URL", "SIMPLEMQ_METRICS_SOURCE_URL")
json.dump({"argv": sys.argv[2:], **{name: os.environ[name] for name in names}}, open(sys.argv[1], "w"))
sys.exit(int(os.environ.get("STATUS", 0)))
"""

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    note = tmp_path / "told.json"
    monkeypatch.setattr(run_metrics, "JOB", [sys.executable, "-c", JOB, str(note)])

    def run(*argv: str) -> dict[str, Any]:
        call_command("run_metrics", *argv)
        given = json.loads(note.read_text())
        assert given["argv"][-2:] == ["--parent", str(os.getpid())]
        return {**given, "argv": given["argv"][:-2]}

    return run


def test_it_asks_for_what_is_new_on_the_configured_master(told: Any, settings: Settings) -> None:
    settings.SIMPLEMQ_SPARK_MASTER = "spark://master:7077"
    assert told()["argv"] == ["--master", "spark://master:7077"]


def test_it_passes_on_what_was_given(told: Any) -> None:
    given = "--from 2026-11-17 --to 2026-11-18 --bucket 1m --bucket 1h --dry-run --master local[2]"
    argv = told(*given.split())["argv"]
    assert sorted(argv) == sorted(given.split())
    assert told("--every", "5m", "--since-last")["argv"][2:] == ["--every", "300.0", "--since-last"]


def test_it_names_the_lake_there_is_and_how_long_the_log_is_kept(told: Any, settings: Settings) -> None:
    settings.SIMPLEMQ_LAKE, settings.SIMPLEMQ_LOG_RETENTION_DAYS = "/lake", 7
    assert told()["argv"][2:] == ["--lake", "/lake", "--log-retention-days", "7"]
    argv = told("--lake", "s3a://bucket/x", "--log", "table")["argv"]
    assert argv[2:] == ["--lake", "s3a://bucket/x", "--log-retention-days", "7", "--log", "table"]


def test_it_finds_the_queue_by_its_name(told: Any) -> None:
    queue = new_queue(new_team("payments"), name="orders")
    assert told("--queue", "orders", "--team", "payments")["argv"][-2:] == ["--queue", str(queue.pk)]


def test_it_says_which_queue_there_is_none_of(told: Any) -> None:
    with pytest.raises(CommandError, match=r"^There is no queue orders\.$"):
        told("--queue", "orders")


def test_an_empty_word_is_not_taken_for_none(told: Any) -> None:
    """A script whose variable is not set would else compute everything."""
    assert told("--from", "", "--to", "")["argv"][2:] == ["--from", "", "--to", ""]
    with pytest.raises(CommandError, match=r"^There is no queue \.$"):
        told("--queue", "")


def test_the_job_works_on_our_database_with_a_planner_of_its_own(told: Any, settings: Settings) -> None:
    settings.SIMPLEMQ_METRICS_SOURCE_URL = "postgresql://reader@replica/simplemq"
    given = told()
    assert given["SIMPLEMQ_METRICS_SOURCE_URL"] == "postgresql://reader@replica/simplemq"
    with psycopg.connect(given["DATABASE_URL"]) as job:
        assert job.info.dbname == connection.settings_dict["NAME"]
        assert job.execute("SHOW enable_seqscan").fetchone() == ("on",)


def test_it_ends_as_the_job_ended(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATUS", "2")
    with pytest.raises(SystemExit) as end:
        told()
    assert end.value.code == 2
