"""A real gunicorn with our configuration, in a process of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 30.0


class Server:
    def __init__(self, application: str, *options: str, **env: str) -> None:
        self.port = _free_port()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "-c", "simplemq/gunicorn_conf.py", *options, application],
            cwd=ROOT,
            env={**os.environ, "SIMPLEMQ_BIND": f"127.0.0.1:{self.port}", "WEB_CONCURRENCY": "1", **env},
            start_new_session=True,
        )

    def get(self, path: str, **headers: str) -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=PATIENCE)

    def is_up(self) -> bool:
        assert self.process.poll() is None, "gunicorn ended by itself"
        try:
            return self.get("/healthz").is_success
        except httpx.TransportError:
            return False

    def refuses_connections(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) != 0


@contextmanager
def running(application: str, *options: str, **env: str) -> Iterator[Server]:
    server = Server(application, *options, **env)
    try:
        until(server.is_up)
        yield server
    finally:
        server.process.send_signal(signal.SIGINT)  # the quick stop
        server.process.wait(PATIENCE)


def until(condition: Callable[[], object]) -> None:
    """Waits for another process, whose clock is not ours to set."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def database_url() -> str:
    """Of the test database, which the environment does not know."""
    where = connection.settings_dict
    password = quote(where["PASSWORD"], safe="")
    return f"postgresql://{where['USER']}:{password}@{where['HOST']}:{where['PORT']}/{where['NAME']}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
