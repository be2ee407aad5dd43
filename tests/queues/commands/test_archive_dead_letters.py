"""What the command tells the job. How a job is started, and how it ends, is tested with `run_metrics`."""

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from queues.management import spark_process
from tests.factories import dead_letter, new_queue, new_team

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, settings: Settings):
    settings.SIMPLEMQ_SPARK_MASTER = "local[3]"
    settings.SIMPLEMQ_LAKE = "/lake"
    commands: list[list[str]] = []
    monkeypatch.setattr(spark_process, "run", commands.append)

    def run(*argv: str) -> list[str]:
        call_command("archive_dead_letters", *argv)
        [_python, module, job, *rest] = commands.pop()
        assert (module, job) == ("-m", "spark_jobs.jobs.dead_letters")
        return rest

    return run


def test_it_goes_by_the_settings(told):
    assert told() == ["--master", "local[3]", "--lake", "/lake"]


def test_it_passes_on_what_was_given(told):
    argv = told("--lake", "s3a://bucket/x", "--within", "2d", "--master", "yarn", "--dry-run")
    assert argv == [
        *("--master", "yarn"),
        *("--lake", "s3a://bucket/x"),
        *("--within", "172800.0"),
        "--dry-run",
    ]


def test_it_finds_the_dead_letter_queue_by_its_name_or_that_of_its_source(told):
    queue = new_queue(new_team("payments"), name="orders")
    dlq = dead_letter(queue)
    for name in ("orders", dlq.name, dlq.public_id):
        assert told("--queue", name, "--team", "payments")[-2:] == ["--queue", str(dlq.pk)]


def test_it_says_which_queue_there_is_none_of(told):
    with pytest.raises(CommandError, match=r"^There is no queue orders\.$"):
        told("--queue", "orders")


def test_a_team_alone_is_not_taken_for_all_of_its_queues(told):
    with pytest.raises(CommandError, match=r"^--team says whose queue is meant: give --queue as well\.$"):
        told("--team", "payments")
