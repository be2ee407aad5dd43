"""Two copies of `manage.py run_maintenance`: one works, the other stands by and takes over.

Real processes: one of them is killed with no chance to say goodbye, which no thread can be.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from queues.models import Message, Queue, State
from queues.operations.send import send
from queues.values import NewMessage
from tests.simplemq.gunicorn_server import ROOT, database_url, until

CUT = """
    WITH theirs AS MATERIALIZED (SELECT pid FROM pg_stat_activity WHERE application_name = 'only')
    SELECT pid FROM theirs WHERE pg_terminate_backend(pid)
"""


@contextmanager
def maintenance(name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A copy that the server knows by this name."""
    environment = {**os.environ, "DATABASE_URL": database_url(), "PGAPPNAME": name}
    command = [sys.executable, "manage.py", "run_maintenance"]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def connected() -> set[str]:
    return names("SELECT application_name FROM pg_stat_activity WHERE datname = current_database()")


def at_work() -> set[str]:
    """The copies that hold the lock of those who do maintenance."""
    return names(
        "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE locktype = 'advisory' AND granted AND datname = current_database()"
    )


def names(question: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return {name for [name] in cursor.fetchall()}


def is_made_ready(queue: Queue) -> None:
    """A message whose delay is over becomes ready though nobody polls its queue."""
    uid = send(queue, NewMessage("hello", delay_seconds=1), timezone.now() - timedelta(minutes=1))
    until(lambda: Message.objects.get(id=uid).state == State.READY)


def test_one_works_and_the_other_takes_over_when_it_is_killed(make_queue: Callable[..., Queue]) -> None:
    queue = make_queue()
    with maintenance("first") as first:
        until(lambda: at_work() == {"first"})
        with maintenance("second"):
            until(lambda: "second" in connected())
            is_made_ready(queue)
            assert at_work() == {"first"}
            first.kill()
            until(lambda: at_work() == {"second"})
            is_made_ready(queue)


def test_it_goes_on_when_its_connections_are_cut(make_queue: Callable[..., Queue]) -> None:
    queue = make_queue()
    with maintenance("only"):
        until(lambda: at_work() == {"only"})
        cut = names(CUT)
        assert cut
        until(lambda: not cut & names("SELECT pid FROM pg_stat_activity"))
        is_made_ready(queue)
        assert at_work() == {"only"}
