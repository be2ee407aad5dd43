"""Child processes: none outlives this one, and waiting for one never swallows a signal."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

Heartbeat = Callable[[], None]
Process = subprocess.Popen[bytes]
Stream = IO[bytes] | None
Word = str | Path
POLL_SECONDS = 0.05


def no_heartbeat() -> None:
    """Nothing to look after while waiting."""


def spawn(
    command: Sequence[Word],
    *,
    death_signal: str = "TERM",
    privileges: Sequence[str] = (),
    stdin: Stream = None,
    output: Stream = None,
    env: Mapping[str, str] | None = None,
) -> Process:
    """Start a command in its own session: a terminal's Ctrl-C reaches us only, and we choose the order."""
    return subprocess.Popen(
        [*_tied_to_us(death_signal), *privileges, *command],
        start_new_session=True,
        stdin=stdin or subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        env=env,
    )


def _tied_to_us(death_signal: str) -> list[str]:
    """When we are killed with no chance to clean up, the kernel tells the child (Linux only).

    To the kernel the parent is a thread: start long-lived children from the main one.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, f"--pdeathsig={death_signal}"] if setpriv else []


def finish(process: Process, heartbeat: Heartbeat = no_heartbeat, seconds: float = 3600) -> int:
    """Wait for the end; the child goes too when the heartbeat raises or the time is over."""
    try:
        if not _ended(process, heartbeat, seconds):
            raise subprocess.TimeoutExpired(process.args, seconds)
    except BaseException:
        stop(process, signal.SIGTERM, seconds=5)
        raise
    return process.returncode


def stop(
    process: Process, first: signal.Signals, seconds: float, heartbeat: Heartbeat = no_heartbeat
) -> None:
    """Ask with the first signal; what is left of the group when the time is over is killed."""
    if process.poll() is None:
        process.send_signal(first)
        if not _ended(process, heartbeat, seconds):
            kill_group(process)
    process.wait()


def _ended(process: Process, heartbeat: Heartbeat, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        heartbeat()
        time.sleep(POLL_SECONDS)
    return process.poll() is not None


def kill_group(process: Process) -> None:
    """The child leads its own group (see spawn), so this reaches its children and nobody else."""
    with contextlib.suppress(ProcessLookupError):  # the last of them ended by itself meanwhile
        os.killpg(process.pid, signal.SIGKILL)
