"""How gunicorn serves SimpleMQ.

Neither Django nor anything that makes locks is imported here: this file runs in the master, and gevent
has to patch a worker before they are. For the same reason the application is not preloaded, and so
every worker opens its own pool of database connections after the fork.
"""

import _thread
import os
import shutil
import signal
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

METRICS_DIR = "PROMETHEUS_MULTIPROC_DIR"

bind = os.environ.get("SIMPLEMQ_BIND") or f"127.0.0.1:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
worker_class = "gevent"  # measured: docs/decisions.md, "Worker class"
worker_connections = 2000
# Idle connections hold up a stop for as long as they are kept.
keepalive = 5
# Longer than the longest long poll (20 s), so that a restart cuts none short.
graceful_timeout = 30
accesslog = None
loglevel = "warning"
# A second way to steer the server that nobody here uses, shared by every gunicorn of the user.
control_socket_disable = True


def when_ready(server: Any) -> None:
    """The workers of this master count together, unless a directory to count in was given."""
    if not os.environ.get(METRICS_DIR):
        server.metrics_dir = os.environ[METRICS_DIR] = tempfile.mkdtemp(prefix="simplemq-metrics-")


def on_exit(server: Any) -> None:
    if directory := getattr(server, "metrics_dir", None):
        shutil.rmtree(directory, ignore_errors=True)


def child_exit(server: Any, worker: Any) -> None:
    """What `prometheus_client.multiprocess.mark_process_dead` does, without importing it into the master."""
    for gauge in Path(os.environ[METRICS_DIR]).glob(f"gauge_live*_{worker.pid}.db"):
        gauge.unlink(missing_ok=True)


def post_worker_init(worker: Any) -> None:
    """Gunicorn has a hook for the quick stop only, so we listen for SIGTERM ourselves."""

    def stop(number: int, frame: FrameType | None) -> None:
        worker.handle_exit(number, frame)
        _tell_those_who_wait()

    signal.signal(signal.SIGTERM, stop)
    signal.siginterrupt(signal.SIGTERM, False)


def worker_int(worker: Any) -> None:
    _tell_those_who_wait()


def _tell_those_who_wait() -> None:
    from queues import shutdown

    # A signal handler may interrupt the holder of a lock, so it takes none: a thread does, or a greenlet.
    _thread.start_new_thread(shutdown.begin, ())
