"""Child processes: none outlives this one, and waiting for one never swallows a signal."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

Heartbeat = Callable[[], None]
Process = subprocess.Popen[bytes]
Output = int | IO[bytes] | None
POLL_SECONDS = 0.05


def no_heartbeat() -> None:
    """Nothing to look after while waiting."""


def spawn(
    command: Sequence[str | Path],
    *,
    death_signal: str = "TERM",
    privileges: Sequence[str] = (),
    stdin: Output = subprocess.DEVNULL,
    output: Output = None,
    env: dict[str, str] | None = None,
) -> Process:
    """Start a command in its own session: a terminal's Ctrl-C reaches us only, and we decide the order."""
    return subprocess.Popen(
        [*_tie_to_parent(death_signal), *privileges, *command],
        start_new_session=True,
        stdin=stdin,
        stdout=output,
        stderr=output,
        env=env,
    )


def _tie_to_parent(death_signal: str) -> list[str]:
    """When we are killed with no chance to clean up, the kernel tells the child (Linux only).

    "Parent" is the thread that started the child: start long-lived ones from the main thread.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, f"--pdeathsig={death_signal}"] if setpriv else []


def finish(process: Process, heartbeat: Heartbeat = no_heartbeat, seconds: float | None = None) -> int:
    """Wait for the end; the child goes too when the heartbeat raises or the time is over."""
    deadline = None if seconds is None else time.monotonic() + seconds
    try:
        while process.poll() is None:
            heartbeat()
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(process.args, seconds or 0)
            time.sleep(POLL_SECONDS)
    except BaseException:
        stop(process, signal.SIGTERM, seconds=5)
        raise
    return process.returncode


def stop(process: Process, first: signal.Signals, seconds: float, heartbeat: Heartbeat = no_heartbeat) -> None:
    """Ask with the first signal; whatever is left of the group when the time is over is killed."""
    if process.poll() is None:
        process.send_signal(first)
        if not _ended(process, seconds, heartbeat):
            kill_group(process)
    process.wait()


def _ended(process: Process, seconds: float, heartbeat: Heartbeat) -> bool:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        heartbeat()
        time.sleep(POLL_SECONDS)
    return process.poll() is not None


def kill_group(process: Process) -> None:
    """The child leads its own group (see spawn), so this reaches its children and nobody else."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # the last of them ended by itself meanwhile
