"""How a job ends. Exit status: 0 done, 1 it could not be done, 2 it made no sense, 130 interrupted."""

import signal
import sys
from collections.abc import Callable
from typing import Any

from spark_jobs.errors import JobError

INTERRUPTED = 130


def status_of(command: str, work: Callable[[], None]) -> int:
    """Do it, and say in one sentence why it could not be done."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        work()
    except JobError as problem:
        print(f"{command}: {problem}", file=sys.stderr)
        return problem.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
