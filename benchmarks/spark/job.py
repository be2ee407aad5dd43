"""The metrics job as anybody runs it: a process of its own, on all cores of this machine."""

import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from benchmarks.cpu import CpuMeter
from benchmarks.errors import CannotMeasure
from benchmarks.spark.meter import Meter, Used
from benchmarks.spark.server import Server
from simplemq import processes

JOB = (sys.executable, "-m", "spark_jobs.jobs.metrics", "--master", "local[*]")
READ = re.compile(r"metrics\.read .*?stays=(\d+)")
WRITTEN = re.compile(r"metrics\.written .*?seconds=([\d.]+)")
PATIENCE_SECONDS = 600
STOP_SECONDS = 60


@dataclass(frozen=True)
class JobFigures:
    stays: int  # that it read; 0: there was nothing new
    used: Used
    database_cpu_seconds: float


def run(server: Server, *arguments: str) -> JobFigures:
    process, said = server.spawn(*JOB, *arguments)
    with CpuMeter({"database": server.process}) as database, Meter(psutil.Process(process.pid)) as meter:
        told = server.finish(process, said)
    return JobFigures(_stays(told), meter.used, database.seconds["database"])


def _stays(told: str) -> int:
    found = READ.findall(told)
    return int(found[-1]) if found else 0


class Loop:
    """The job going on from run to run on one Spark."""

    def __init__(self, server: Server, process: processes.Process, said: Path) -> None:
        self.server, self.process, self.said = server, process, said

    def first_run(self) -> JobFigures:
        """The first one has to start Spark."""
        return self._run()

    def next_run(self) -> JobFigures:
        """What the next run that finds anything new costs, without the second it may take to look."""
        found = self._run()
        seconds = float(WRITTEN.findall(self.said.read_text())[-1])
        return replace(found, used=replace(found.used, seconds=seconds))

    def _run(self) -> JobFigures:
        ended = self._ended()
        watched = psutil.Process(self.process.pid)
        with CpuMeter({"database": self.server.process}) as database, Meter(watched) as meter:
            self._wait_until(lambda: self._ended() > ended)
        return JobFigures(_stays(self.said.read_text()), meter.used, database.seconds["database"])

    def _ended(self) -> int:
        return len(WRITTEN.findall(self.said.read_text()))

    def _wait_until(self, is_true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_true():
            self.server.heartbeat()
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise CannotMeasure(f"the job does not go on: {self.said.read_text()[-2000:]}")
            time.sleep(processes.POLL_SECONDS)


@contextmanager
def looping(server: Server, *arguments: str) -> Iterator[Loop]:
    process, said = server.spawn(*JOB, "--every", "1", *arguments)
    try:
        yield Loop(server, process, said)
    finally:
        processes.stop(process, signal.SIGTERM, STOP_SECONDS)
