"""A measurement from its start to its figures, or to the sentence that says why there are none."""

import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any

from benchmarks.errors import CannotMeasure
from benchmarks.progress import Progress
from simplemq.errors import CannotStart
from simplemq.stop_signal import StopRequested, StopSignal

INTERRUPTED = 130


def measured(
    name: str, planned_seconds: float, measure: Callable[[Progress], dict[str, Any]]
) -> dict[str, Any]:
    """Ctrl-C and whatever is in the way end the process, once everything is cleaned up."""
    stop = StopSignal()
    stop.install()
    try:
        with closing(Progress(planned_seconds, stop)) as progress:
            return measure(progress)
    except StopRequested:
        print("Stopped.", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    except (CannotMeasure, CannotStart) as problem:
        print(f"{name}: {problem}", file=sys.stderr)
        raise SystemExit(1) from None
