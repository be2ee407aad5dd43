"""`manage.py run_metrics`: starts the Spark job that makes history and advice of what happened to messages.

The job is a process of its own, which knows nothing of Django: see spark_jobs/README.md. Its progress and its
exit status are passed on.
"""

import os
import signal
import subprocess
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection
from psycopg.conninfo import make_conninfo

from queues.management.durations import duration
from queues.management.finding import find_queue
from queues.management.refusals import in_one_sentence

JOB = [sys.executable, "-m", "spark_jobs.jobs.metrics"]
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Command(BaseCommand):
    help = (
        "Compute the history of queues and advice on their settings, from where the last run ended. "
        "Exit status: 0 done, 1 it could not be done, 2 it made no sense."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--since-last", action="store_true", help="go on from the last run: the default")
        parser.add_argument("--from", metavar="TIME", help="compute again from here, as in 2026-11-18T09:00Z")
        parser.add_argument("--to", metavar="TIME", help="up to here; else as far as everything is settled")
        parser.add_argument(
            "--bucket",
            action="append",
            default=[],
            metavar="1m|5m|1h",
            help="may be repeated; else all",
        )
        parser.add_argument("--queue", help="only this queue, by name or id")
        parser.add_argument("--team", help="the team that has the queue, when several have one of that name")
        parser.add_argument("--master", help="a Spark master; else SIMPLEMQ_SPARK_MASTER, which is local[*]")
        parser.add_argument("--every", type=duration, help="again and again until stopped, as in 60s")
        parser.add_argument("--dry-run", action="store_true", help="compute and tell, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            command = [*JOB, *_arguments(options)]
        connection.close()
        process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=_environment())
        with _signals_passed_on_to(process):
            status = process.wait()
        if status:
            raise SystemExit(status if status > 0 else 128 - status)


def _arguments(options: dict[str, Any]) -> Iterator[str]:
    """What was given, as the job is told it; what it means is for the job to say."""
    yield from ("--parent", str(os.getpid()))
    yield from ("--master", options["master"] or settings.SIMPLEMQ_SPARK_MASTER)
    for name in ("from", "to"):
        if options[name] is not None:
            yield from (f"--{name}", options[name])
    for bucket in options["bucket"]:
        yield from ("--bucket", bucket)
    if options["queue"] is not None:
        yield from ("--queue", str(find_queue(options["queue"], options["team"]).pk))
    if options["every"]:
        yield from ("--every", str(options["every"].total_seconds()))
    for name in ("since_last", "dry_run"):
        if options[name]:
            yield "--" + name.replace("_", "-")


def _environment() -> dict[str, str]:
    """Passwords travel here: everybody on the machine may read the arguments of a process."""
    return {
        **os.environ,
        "DATABASE_URL": _database(),
        "SIMPLEMQ_METRICS_SOURCE_URL": settings.SIMPLEMQ_METRICS_SOURCE_URL,
    }


def _database() -> str:
    """Our own database, without what our own connections ask of its planner."""
    where = connection.settings_dict
    named = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    given = {name: where[key] for name, key in named.items() if where[key]}
    secured = {name: value for name, value in where["OPTIONS"].items() if name.startswith("ssl")}
    return make_conninfo("", **given, **secured)


@contextmanager
def _signals_passed_on_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The job finishes what it is at. A terminal interrupts it by itself, a supervisor stops only us."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
