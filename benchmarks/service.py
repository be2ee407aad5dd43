"""The service under test: `make run` as anybody would start it, on a fresh server in a directory of its own.

The embedded PostgreSQL keeps its production settings: fsync and synchronous_commit are on.
"""

import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import psutil

from benchmarks.errors import CannotMeasure
from queues.management import env_file
from simplemq import processes
from simplemq.postgres_placement import place
from simplemq.serve_options import BASE_DIR

GREETING = "SimpleMQ answers on"
START_SECONDS = 120
STOP_SECONDS = 60
# What would make it another service than the one on a fresh machine.
FOREIGN = ("DATABASE_URL", "PORT", "WEB_CONCURRENCY", "PGOPTIONS")
HOST = "127.0.0.1"


class Service:
    """Use as a context: what it starts is stopped, what it writes is removed."""

    def __init__(self, heartbeat: processes.Heartbeat) -> None:
        self.heartbeat = heartbeat
        self.port = _free_port()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with self._stack as stack:  # a start that fails half way is undone
            self.data_dir = self._make_data_dir(stack)
            self.process = self._start(stack)
            self._wait_until_it_answers()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to work on the service's database with the service's settings."""
        return env_file.read(self.data_dir / "service.env")

    @property
    def database_url(self) -> str:
        return self.environment["DATABASE_URL"]

    @property
    def api_key(self) -> str:
        return env_file.read(self.data_dir / "dev.env")["SIMPLEMQ_API_KEY"]

    def child(self, word: str) -> psutil.Process:
        """The supervisor's child whose command line has this word."""
        for child in psutil.Process(self.process.pid).children():
            if any(word in part for part in child.cmdline()):
                return child
        raise CannotMeasure(f"the service runs no {word}.")

    def _make_data_dir(self, stack: ExitStack) -> Path:
        directory = Path(tempfile.mkdtemp(prefix="simplemq-bench-"))
        stack.callback(shutil.rmtree, directory, ignore_errors=True)
        # Run by root, the server may keep its files elsewhere.
        stack.callback(shutil.rmtree, place(directory / "postgres").home, ignore_errors=True)
        return directory

    def _start(self, stack: ExitStack) -> processes.Process:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in FOREIGN and not name.startswith("SIMPLEMQ_")
        }
        given = {"PORT": str(self.port), "SIMPLEMQ_DATA_DIR": str(self.data_dir), "PYTHONPATH": str(BASE_DIR)}
        self.log = self.data_dir / "service.log"
        with self.log.open("wb") as output:
            command = [sys.executable, "-m", "simplemq.serve"]
            process = processes.spawn(command, output=output, env=kept | given)
        stack.callback(processes.stop, process, signal.SIGINT, STOP_SECONDS)
        return process

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while GREETING not in self.log.read_text():
            self.heartbeat()
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise CannotMeasure(f"the service does not start: {self.log.read_text()}")
            time.sleep(processes.POLL_SECONDS)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
