"""The metrics job as anybody runs it: a process of its own, on all cores of this machine."""

import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


class WarmJob:
    """The job in its loop, on a Spark that has been running for a while."""

    def __init__(self, server: Server, process: processes.Process, said: Path) -> None:
        self.server, self.process, self.said = server, process, said

    def next_run(self) -> JobFigures:
        """What the next run that finds anything new costs."""
        before = len(WRITTEN.findall(self.said.read_text()))
        watched = psutil.Process(self.process.pid)
        with CpuMeter({"database": self.server.process}) as database, Meter(watched) as meter:
            self._wait_for(before + 1)
        told = self.said.read_text()
        # The loop looks once a second; what it waited until then is not the run's.
        seconds = float(WRITTEN.findall(told)[-1])
        used = Used(seconds, meter.used.cpu_seconds, meter.used.peak_bytes)
        return JobFigures(_stays(told), used, database.seconds["database"])

    def _wait_for(self, runs: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(WRITTEN.findall(self.said.read_text())) < runs:
            self.server.heartbeat()
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise CannotMeasure(f"the job does not go on: {self.said.read_text()[-2000:]}")
            time.sleep(processes.POLL_SECONDS)


@contextmanager
def warm(server: Server, *arguments: str) -> Iterator[WarmJob]:
    process, said = server.spawn(*JOB, "--every", "1", *arguments)
    try:
        yield WarmJob(server, process, said)
    finally:
        processes.stop(process, signal.SIGTERM, STOP_SECONDS)
