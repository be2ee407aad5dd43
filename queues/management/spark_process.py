"""Starts a job of Spark, a process of its own which knows nothing of Django: see spark_jobs/README.md.

Its progress and its exit status are passed on.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def job(name: str) -> list[str]:
    return [sys.executable, "-m", f"spark_jobs.jobs.{name}"]


def run(command: Sequence[str]) -> None:
    connection.close()
    command = [*command, "--parent", str(os.getpid())]
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=_environment())
    with _signals_passed_on_to(process):
        status = process.wait()
    if status:
        raise SystemExit(status if status > 0 else 128 - status)


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
