"""What is measured, one part per file."""

from typing import Any

from benchmarks import long_poll
from benchmarks.parts import held, http, sql
from benchmarks.stage import Stage

MEASURES = {"http": http.measure, "sql": sql.measure, "held": held.measure, "long_poll": long_poll.measure}


def measure(stage: Stage) -> dict[str, Any]:
    return {part: MEASURES[part](stage) for part in stage.plan.parts}
