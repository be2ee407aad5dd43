"""A command of `manage.py` that starts a job, as somebody types it, with its job and the Java of that."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psutil

from simplemq import processes
from tests.simplemq.gunicorn_server import ROOT, database_url
from tests.spark_jobs.conftest import LIGHT_JAVA

PATIENCE = 300  # seconds, on a busy machine


class JobProcess:
    def __init__(self, command: processes.Process, told: Path) -> None:
        self.command = command
        self.told = told

    @property
    def driver(self) -> psutil.Process:
        """The Python of the job."""
        [driver] = psutil.Process(self.command.pid).children()
        return driver

    @property
    def java(self) -> psutil.Process:
        [java] = [child for child in self.driver.children() if child.name() == "java"]
        return java

    def family(self) -> list[psutil.Process]:
        """The command and whatever it has started, directly or not."""
        command = psutil.Process(self.command.pid)
        return [command, *command.children(recursive=True)]

    def ended(self) -> int:
        return self.command.wait(PATIENCE)

    def until(self, condition: Callable[[], object]) -> None:
        """Waits for something that must happen while it runs."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self.command.poll() is None, f"it ended:\n{self.told.read_text()}"
            assert time.monotonic() < deadline, f"it did not happen in time:\n{self.told.read_text()}"
            time.sleep(0.05)

    def until_it_says(self, words: str) -> None:
        self.until(lambda: words in self.told.read_text())


def run_metrics(folder: Path, *argv: str, **env: str) -> AbstractContextManager[JobProcess]:
    return running(folder, "run_metrics", *argv, **env)


@contextmanager
def running(folder: Path, command_name: str, *argv: str, **env: str) -> Iterator[JobProcess]:
    """On the test database; nothing of it is left afterwards, nor when the tests are killed."""
    told = folder / "told"
    with told.open("wb") as output:
        command = processes.spawn(
            [sys.executable, ROOT / "manage.py", command_name, *argv],
            death_signal="KILL",
            output=output,
            env={**os.environ, "DATABASE_URL": database_url(), "SPARK_SUBMIT_OPTS": LIGHT_JAVA, **env},
        )
    try:
        yield JobProcess(command, told)
    finally:
        processes.kill_group(command)
        command.wait()
