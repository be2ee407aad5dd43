"""How a job ends. Exit status: 0 done, 1 it could not be done, 2 it made no sense, 130 interrupted."""

import signal
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from spark_jobs import parent
from spark_jobs.arguments import Common
from spark_jobs.errors import JobError

INTERRUPTED = 130

Config = TypeVar("Config", bound=Common)


def status_of(command: str, config: Callable[[], Config], work: Callable[[Config], None]) -> int:
    """Do it, and say in one sentence why it could not be done."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        asked = config()
        if asked.parent is not None:
            parent.end_with(asked.parent)
        work(asked)
    except JobError as problem:
        print(f"{command}: {problem}", file=sys.stderr)
        return problem.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
