"""The process that started the job: killed, it can stop nobody, and the job would live on without it."""

import ctypes
import os
import signal
import sys

from spark_jobs.errors import JobError

PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Let the kernel kill us when the parent ends (Linux only). Java ends with us: it waits for our word.

    To the kernel the parent is a thread: the main one has to start us.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        # It was killed before we asked to be told.
        raise JobError(f"The process that started this, {parent}, has ended.")
