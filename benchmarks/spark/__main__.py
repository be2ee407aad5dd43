"""`make bench-spark`: the metrics job beside the same figures by one query of PostgreSQL and of DuckDB."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import psutil

from benchmarks import results
from benchmarks.measured import measured
from benchmarks.progress import Progress
from benchmarks.spark import parts
from benchmarks.spark.plan import SIZES, START_SECONDS, Plan
from benchmarks.spark.report import report
from benchmarks.spark.server import started


def main(arguments: Sequence[str] | None = None) -> int:
    given = _given(arguments)
    plan = Plan(tuple(sorted(given.rows)))
    found = measured("bench-spark", plan.total_seconds, lambda progress: _measure(plan, progress))
    if given.json:
        print(json.dumps(found, indent=2, default=results.plain))
    else:
        print(report(found))
        print(f"\nWritten to {results.write(found)}")
    return 0


def _given(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    shown = " ".join(map(str, SIZES))
    parser.add_argument(
        "--rows", type=_count, nargs="+", default=SIZES, metavar="N", help=f"messages in the log ({shown})"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, write no file")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of messages")
    return int(text)


def _measure(plan: Plan, progress: Progress) -> dict[str, Any]:
    load = psutil.getloadavg()[0]
    found: dict[str, Any] = {"machine": {"cpus": psutil.cpu_count(), "load_before": load}, "tables": []}
    for rows in plan.sizes:
        with ExitStack() as stack:
            with progress.step("starting PostgreSQL", START_SECONDS):
                server = stack.enter_context(started(progress.heartbeat))
            found["tables"].append(parts.measure_table(server, rows, plan, progress))
            if rows == plan.largest:
                found["increments"] = parts.measure_increments(server, rows, plan, progress)
                found["lake"] = parts.measure_lake(server, rows, plan, progress)
    return found


if __name__ == "__main__":
    sys.exit(main())
