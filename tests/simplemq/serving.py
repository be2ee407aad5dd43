"""A real `python -m simplemq.serve` in a directory and on a port of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil

from queues.management import env_file

ROOT = Path(__file__).resolve().parent.parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def clean_environment() -> dict[str, str]:
    """Without what the test run itself was given: its database and its secrets."""
    ours = ("DATABASE_URL", "PORT", "WEB_CONCURRENCY")
    return {name: value for name, value in os.environ.items() if name not in ours and "SIMPLEMQ" not in name}


class Serving:
    def __init__(self, data_dir: Path, **env: str) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.output = data_dir.with_name(f"{data_dir.name}.{self.port}.log")
        given = {"PORT": str(self.port), "SIMPLEMQ_DATA_DIR": str(data_dir), "WEB_CONCURRENCY": "1"} | env
        with self.output.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "simplemq.serve"],
                cwd=ROOT,
                env=clean_environment() | given,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def said(self) -> str:
        return self.output.read_text()

    @property
    def credentials(self) -> dict[str, str]:
        return env_file.read(self.data_dir / "dev.env")

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word: str, seconds: float = 10) -> psutil.Process:
        """The supervisor's own child with this word in its command line, waited for."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for child in psutil.Process(self.process.pid).children():
                if any(word in part for part in child.cmdline()):
                    return child
            time.sleep(0.05)
        raise AssertionError(f"no {word} in {self.family()}")

    def get(self, path: str, **headers: str) -> int:
        return httpx.get(f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=10).status_code

    def wait_for(self, words: str, seconds: float = 60) -> "Serving":
        deadline = time.monotonic() + seconds
        while words not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, f"no '{words}' in: {self.said}"
            time.sleep(0.05)
        return self

    def wait_until_ready(self) -> "Serving":
        self.wait_for("SimpleMQ answers on")
        assert self.get("/readyz") == 200
        return self

    def send(self, *signals: signal.Signals) -> None:
        for number in signals:
            self.process.send_signal(number)
            time.sleep(0.1)

    def ended(self) -> int:
        """The exit code; never leaves a process to the next test."""
        try:
            return self.process.wait(timeout=60)
        finally:
            self.process.kill()


def still_running(family: list[psutil.Process], seconds: float = 0) -> list[psutil.Process]:
    _, alive = psutil.wait_procs(family, timeout=seconds)
    return alive
