"""Keeps two servers from one data directory, also after a crash."""

import fcntl
import os
import signal
from pathlib import Path
from typing import IO

import psutil

from simplemq.errors import AlreadyInUse, CannotStart

ORPHAN_SECONDS = 30


def take_lock(home: Path) -> IO[str]:
    """Held as long as the file is open: the kernel lets go of it even after kill -9."""
    lock = (home / "lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise AlreadyInUse(
            f"the database in {home} is already in use by process {holder}: "
            "stop that one, or set SIMPLEMQ_DATA_DIR to another directory."
        ) from None
    lock.truncate(0)
    print(os.getpid(), file=lock, flush=True)
    return lock


def retire_orphan(cluster: Path, postmaster_pid: str) -> None:
    """The caller holds the lock, so a server still running here lost its owner to a crash."""
    orphan = _server_process(cluster, int(postmaster_pid.splitlines()[0]))
    if orphan is None:
        # Another program may have got the number by now; PostgreSQL would then refuse to start.
        (cluster / "postmaster.pid").unlink(missing_ok=True)
    else:
        _stop(orphan, cluster)


def _server_process(cluster: Path, pid: int) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        return process if str(cluster) in process.cmdline() else None
    except psutil.Error:
        return None


def _stop(orphan: psutil.Process, cluster: Path) -> None:
    try:
        orphan.send_signal(signal.SIGINT)
        orphan.wait(ORPHAN_SECONDS)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired:
        raise CannotStart(f"PostgreSQL {orphan.pid} still runs on {cluster}: stop it first.") from None
