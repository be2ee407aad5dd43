"""A Spark cluster of one master and one worker, from the pip package, on loopback."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pyspark

from simplemq import processes
from tests.simplemq.gunicorn_server import until
from tests.simplemq.serving import free_port
from tests.spark_jobs.conftest import LIGHT_JAVA

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
# Nothing of it is to be seen from outside, nor anything outside needed to name this machine.
LOOPBACK = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_PUBLIC_DNS": "127.0.0.1"}
SMALL = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": LIGHT_JAVA}


@dataclass(frozen=True)
class Cluster:
    port: int
    ui_port: int
    work: Path  # of the worker: a folder for each application, with one for each of its executors

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def state(self) -> dict[str, Any]:
        return httpx.get(f"http://127.0.0.1:{self.ui_port}/json/").json()

    def is_up(self) -> bool:
        try:
            return self.state()["aliveworkers"] == 1
        except httpx.TransportError:
            return False

    def executors(self, application: str) -> list[str]:
        return sorted(path.name for path in (self.work / application).iterdir())


@contextmanager
def standalone(home: Path) -> Iterator[Cluster]:
    cluster = Cluster(free_port(), free_port(), home / "work")
    master = ["--host", "127.0.0.1", "--port", str(cluster.port), "--webui-port", str(cluster.ui_port)]
    worker = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--work-dir", str(cluster.work)]
    with ExitStack() as running:
        running.enter_context(_daemon(home, "master.Master", *master))
        running.enter_context(
            _daemon(home, "worker.Worker", *worker, "--cores", "2", "--memory", "1g", cluster.master)
        )
        until(cluster.is_up)
        yield cluster


@contextmanager
def _daemon(home: Path, name: str, *options: str) -> Iterator[None]:
    """One that is gone afterwards, with its children; and also when the tests are killed."""
    with (home / f"{name}.log").open("wb") as log:
        process = processes.spawn(
            [SPARK_CLASS, f"org.apache.spark.deploy.{name}", *options],
            death_signal="KILL",
            output=log,
            env={
                **os.environ,
                **LOOPBACK,
                "SPARK_DAEMON_MEMORY": "256m",
                "SPARK_DAEMON_JAVA_OPTS": LIGHT_JAVA,
            },
        )
    try:
        yield
    finally:
        processes.kill_group(process)
        process.wait()
