"""The canary ladder of a redrive: a few messages first, then more, and an end when too many come back."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from queues import limits
from queues.errors import Invalid
from queues.models import Message, RedriveTask

DEFAULTS = {"max_return_ratio": 0.1, "watch_seconds": 60}


def verified(given: Mapping[str, Any]) -> dict[str, Any]:
    """The ladder as it is kept, with its defaults filled in."""
    canary = {**DEFAULTS, **given}
    for name in set(canary) - {"steps", *DEFAULTS}:
        raise Invalid("Unknown field.", field=f"canary.{name}")
    _verify_steps(canary.get("steps"))
    _verify_number("max_return_ratio", canary["max_return_ratio"], limits.CANARY_RETURN_RATIO)
    _verify_number("watch_seconds", canary["watch_seconds"], limits.CANARY_WATCH_SECONDS)
    return canary


def room(task: RedriveTask) -> int:
    """How many messages may move before the next look at what became of them."""
    return _steps_so_far(task) - task.moved if _on_the_ladder(task) else limits.REDRIVE_LIMIT[1]


def note(task: RedriveTask, clock: datetime) -> None:
    """When a step has moved all its messages, begin to watch them."""
    if _on_the_ladder(task) and task.watch_until is None and room(task) <= 0:
        task.watch_until = clock + timedelta(seconds=_ladder(task)["watch_seconds"])


def go_on(task: RedriveTask, clock: datetime) -> bool:
    """Whether the watch is over, by time or because nothing is left to watch; then the next step is due."""
    if task.watch_until is None:
        return True
    if clock < task.watch_until and _unsettled(task).exists():
        return False
    task.step += 1
    task.watch_until = None
    return True


def verdict(task: RedriveTask) -> str | None:
    """Why the redrive must stop, if too many of its messages came back dead."""
    if not task.canary or not task.moved:
        return None
    returned = _returned(task).count()
    if returned / task.moved <= _ladder(task)["max_return_ratio"]:
        return None
    return f"{returned} of {task.moved} redriven messages came back dead."


def returned(task: RedriveTask) -> int:
    """How many of its messages are dead again, counted as far as counts are exact."""
    return _returned(task)[: limits.EXACT_COUNT].count()


def _ladder(task: RedriveTask) -> dict[str, Any]:
    return task.canary or {}


def _on_the_ladder(task: RedriveTask) -> bool:
    return bool(task.canary) and task.step < len(_ladder(task)["steps"])


def _steps_so_far(task: RedriveTask) -> int:
    return int(sum(_ladder(task)["steps"][: task.step + 1]))


def _returned(task: RedriveTask) -> QuerySet[Message]:
    """Dead again, wherever they are: the queue they went to may send its dead elsewhere by now."""
    return Message.objects.filter(redrive_id=task.pk, dead_lettered_at__isnull=False)


def _unsettled(task: RedriveTask) -> QuerySet[Message]:
    """Moved, and neither finished nor back: somebody has yet to receive or to acknowledge them."""
    return Message.objects.filter(redrive_id=task.pk, dead_lettered_at__isnull=True)


def _verify_steps(steps: Any) -> None:
    if not isinstance(steps, list) or not 1 <= len(steps) <= limits.CANARY_STEPS:
        raise Invalid(f"Must be a list of 1 to {limits.CANARY_STEPS} numbers.", field="canary.steps")
    for step in steps:
        if type(step) is not int:
            raise Invalid("Must be whole numbers.", field="canary.steps")
        limits.verify_range("canary.steps", step, limits.CANARY_STEP)


def _verify_number(name: str, value: Any, bounds: tuple[Any, Any]) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid("Must be a number.", field=f"canary.{name}")
    limits.verify_range(f"canary.{name}", value, bounds)  # type: ignore[arg-type]
