"""A real PostgreSQL 18 of our own, from the binaries in a wheel: nothing to install, nothing to set up.

It listens on 127.0.0.1 only, with a random password kept beside the data, and is as durable as any
other PostgreSQL unless the settings say otherwise.
"""

import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from simplemq import processes
from simplemq.errors import CannotStart
from simplemq.postgres_cluster import DATABASE, ROLE, Cluster
from simplemq.postgres_placement import place

HOST = "127.0.0.1"
START_SECONDS = 60
STOP_SECONDS = 60
ATTEMPTS, PAUSE_SECONDS = 3, 1
STOP_SIGNALS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
DEFAULTS: Mapping[str, object] = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "shared_buffers": "256MB",
    "max_connections": 200,
    "max_wal_size": "2GB",
    "wal_compression": "on",  # the wheel is built without lz4
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A failed statement would put its parameters, which are message bodies, into the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


class EmbeddedPostgres:
    """One server over one directory. Start it from the main thread: it stops when that thread ends."""

    def __init__(
        self,
        data_dir: Path,
        *,
        settings: Mapping[str, object] | None = None,
        heartbeat: processes.Heartbeat = processes.no_heartbeat,
    ) -> None:
        self.placement = place(data_dir.absolute())
        self.cluster = Cluster(self.placement, heartbeat)
        self.settings = {**DEFAULTS, **(settings or {})}
        self.heartbeat = heartbeat
        self.process: processes.Process | None = None
        self.port = 0

    @property
    def bin_dir(self) -> Path:
        """psql, pgbench, pg_dump and the others."""
        return self.placement.bin_dir

    @property
    def url(self) -> str:
        return f"postgresql://{ROLE}:{self.cluster.password}@{HOST}:{self.port}/{DATABASE}"

    def start(self) -> Self:
        self.cluster.lock()
        try:
            self.cluster.prepare()
            self._start_server()
        except BaseException:
            self.stop("immediate")
            raise
        return self

    def exit_code(self) -> int | None:
        """None while the server runs."""
        return self.process.poll() if self.process else 0

    def stop(self, mode: str = "fast") -> None:
        if self.process is not None:
            processes.stop(self.process, STOP_SIGNALS[mode], STOP_SECONDS)
            self.process = None
        self.cluster.unlock()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start_server(self) -> None:
        for _attempt in range(ATTEMPTS):
            self.port = self._free_port()
            self.process = self._launch()
            if self._becomes_ready(self.process):
                return
            # Another program took the port meanwhile, or the last server's backends are still leaving.
            time.sleep(PAUSE_SECONDS)
        raise CannotStart(f"PostgreSQL does not start: {self.cluster.last_words()} (see {self.cluster.log}).")

    def _launch(self) -> processes.Process:
        settings = {**self.settings, "port": self.port}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return self.cluster.spawn("postgres", "-D", self.cluster.directory, *options)

    def _becomes_ready(self, process: processes.Process) -> bool:
        """False when the server gave up by itself."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.heartbeat()
            if process.poll() is not None:
                return False
            if self._accepts_connections():
                return True
            time.sleep(processes.POLL_SECONDS)
        raise CannotStart(f"PostgreSQL is not ready after {START_SECONDS} s (see {self.cluster.log}).")

    def _accepts_connections(self) -> bool:
        question: list[processes.Word] = [
            self.bin_dir / "pg_isready",
            "--quiet",
            f"--host={HOST}",
            f"--port={self.port}",
        ]
        return subprocess.run(question, check=False).returncode == 0

    def _free_port(self) -> int:
        """The port of the last run if it is still free, so that addresses noted down keep working."""
        noted = self.cluster.home / "port"
        wanted = self.port or (int(noted.read_text()) if noted.exists() else 0)
        port = _bindable(wanted) or _bindable(0)
        noted.write_text(str(port))
        return port


def _bindable(port: int) -> int:
    """The port (any, when asked for 0) if we can listen on it, else 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return 0
        return int(probe.getsockname()[1])
