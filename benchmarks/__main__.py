"""`make bench`: the service over HTTP, its SQL alone, and its SQL beside a transaction that stays open."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import django

from benchmarks import results
from benchmarks.measured import measured
from benchmarks.plan import PARTS, START_SECONDS, Plan
from benchmarks.progress import Progress
from benchmarks.service import Service


def main(arguments: Sequence[str] | None = None) -> int:
    plan = _plan(arguments)
    found = measured("bench", plan.total_seconds, lambda progress: _measure(plan, progress))
    print(_report(found))
    print(f"\nWritten to {results.write(found)}")
    return 0


def _plan(arguments: Sequence[str] | None) -> Plan:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--seconds",
        type=float,
        default=15.0,
        help="length of one measurement; everything scales with it (15)",
    )
    parser.add_argument(
        "--only", default=",".join(PARTS), help=f"which parts, separated by commas ({','.join(PARTS)})"
    )
    given = parser.parse_args(arguments)
    parts = tuple(part for part in PARTS if part in given.only.split(","))
    if not parts or given.seconds <= 0:
        parser.error(f"choose among {', '.join(PARTS)}, and more than 0 seconds.")
    return Plan(given.seconds, parts)


def _measure(plan: Plan, progress: Progress) -> dict[str, Any]:
    with ExitStack() as stack:
        with progress.step("starting the service", START_SECONDS):
            service = stack.enter_context(Service(progress.heartbeat))
        _set_up_django(service)
        # Imported late: models need settings, and settings the database that has just started.
        from benchmarks import parts
        from benchmarks.stage import Stage, machine

        stage = Stage(service, plan, progress)
        return {"plan": plan, "machine": machine(), **parts.measure(stage)}


def _set_up_django(service: Service) -> None:
    os.environ |= service.environment
    os.environ["DJANGO_SETTINGS_MODULE"] = "simplemq.settings"
    django.setup()


def _report(found: dict[str, Any]) -> str:
    from benchmarks.report import report

    return report(found)


if __name__ == "__main__":
    sys.exit(main())
