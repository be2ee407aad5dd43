"""`python -m spark_jobs.jobs.metrics`: history and advice, once, or again and again on one warm session.

Exit status: 0 done, 1 it could not be done, 2 it made no sense, 130 interrupted.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence

from spark_jobs import session
from spark_jobs.config import Config
from spark_jobs.errors import JobError, SparkLost, UsageError
from spark_jobs.exits import status_of
from spark_jobs.log import say
from spark_jobs.runs import StartSpark, run_once

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main(argv: Sequence[str], env: Mapping[str, str]) -> int:
    return status_of("run_metrics", lambda: Config.read(argv, env), _run)


def _run(config: Config) -> None:
    with session.when_needed(config.master) as start_spark:
        if config.every is None:
            run_once(config, start_spark)
        else:
            _run_until_stopped(config, config.every, start_spark)


def _run_until_stopped(config: Config, every: float, start_spark: StartSpark) -> None:
    """Told to stop, it finishes the run under way. What fails once is tried again the next time."""
    start_spark()  # which takes SIGINT for itself
    stopped = threading.Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: _stop(stopped))
    while not stopped.is_set():
        began = time.monotonic()
        try:
            run_once(config, start_spark)
        except (UsageError, SparkLost):
            raise
        except JobError as problem:
            say("metrics.failed", error=problem)
        stopped.wait(max(0.0, began + every - time.monotonic()))


def _stop(stopped: threading.Event) -> None:
    stopped.set()
    for number in SIGNALS:  # the next one means it
        signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
