"""A redrive whose worker is killed in the middle of a batch, again and again: nothing is lost or doubled."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from queues.models import Outcome, Queue, QueueSlot, RedriveTask, Team
from queues.operations import queues, redrive
from tests.concurrency import ledger
from tests.simplemq.gunicorn_server import ROOT, database_url

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LETTERS = 50_000
KILLS = 3
PATIENCE = 120
WORKER = "redriving"


@pytest.fixture
def source(transactional_db: None) -> Queue:
    """Both queues are bounded, so that every place must be accounted for as well."""
    team = Team.objects.create(name="payments")
    dlq, _ = queues.create(team, name="morgue", queue_size=LETTERS + 7)
    source, _ = queues.create(team, name="orders", queue_size=LETTERS + 3, dlq=dlq)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO message (queue_id, source_queue_id, size_bytes, data, dead_lettered_at)"
            " SELECT %s, %s, 1, 'x', now() FROM generate_series(1, %s)",
            [dlq.pk, source.pk, LETTERS],
        )
    assert QueueSlot.objects.take(dlq, LETTERS) == LETTERS
    return source


@contextmanager
def worker(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "DATABASE_URL": database_url(), "PGAPPNAME": WORKER}
    arguments = [sys.executable, "manage.py", *command]
    with subprocess.Popen(arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_over() -> bool:
    return RedriveTask.objects.exclude(status="running").exists()


def has_moved(count: int) -> bool:
    return RedriveTask.objects.filter(moved__gte=count).exists()


def in_the_middle_of_a_move() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = %s AND state <> 'idle' AND backend_xid IS NOT NULL",
            [WORKER],
        )
        return bool(cursor.fetchone()[0])


def kill_in_the_middle(process: subprocess.Popen[bytes], after: int) -> None:
    wait_for(lambda: has_moved(after))
    while not in_the_middle_of_a_move():
        assert process.poll() is None
    process.kill()
    assert process.wait() == -9


def assert_each_arrived_once(source: Queue, dlq: Queue, letters: set[uuid.UUID]) -> None:
    assert ledger.live(dlq) == []
    arrived = ledger.live(source)
    assert (len(arrived), set(arrived)) == (LETTERS, letters)
    ended = ledger.ended(dlq, Outcome.REDRIVEN)
    assert (len(ended), ended.total()) == (LETTERS, LETTERS)
    assert ledger.places(source) == (LETTERS, 3)
    assert ledger.places(dlq) == (0, LETTERS + 7)


def test_maintenance_killed_three_times(source: Queue) -> None:
    dlq = Queue.objects.get(name="morgue")
    letters = set(ledger.live(dlq))
    task = redrive.start(dlq)
    assert task.matched == LETTERS
    for kill in range(KILLS):
        with worker("run_maintenance") as process:
            kill_in_the_middle(process, after=(kill + 1) * 8_000)
    with worker("run_maintenance"):
        wait_for(is_over)
    task.refresh_from_db()
    assert (task.status, task.moved, task.skipped) == ("completed", LETTERS, {})
    assert_each_arrived_once(source, dlq, letters)


def test_a_command_killed_and_maintenance_going_on(source: Queue) -> None:
    dlq = Queue.objects.get(name="morgue")
    letters = set(ledger.live(dlq))
    with worker("requeue_dlq", "orders", "--yes") as process:
        kill_in_the_middle(process, after=5_000)
    assert RedriveTask.objects.get().status == "running"
    with worker("run_maintenance"):
        wait_for(is_over)
    assert_each_arrived_once(source, dlq, letters)
