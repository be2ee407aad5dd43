"""Redrives in words: why messages stay, how a task stands, what its filter asks for."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import timezone

from queues import limits
from queues.models import RedriveStatus, RedriveTask

STAYING = {
    "leased": "A consumer holds them right now",
    "redriven_too_often": f"Redriven {limits.MOST_REDRIVES} times or more, and back every time",
    "source_deleted": "The queue they died in has been deleted: choose a target for them",
}
STATUSES = {
    RedriveStatus.RUNNING: ("Running", "badge-info"),
    RedriveStatus.COMPLETED: ("Completed", "badge-ok"),
    RedriveStatus.CANCELLED: ("Cancelled", "badge-warn"),
    RedriveStatus.STOPPED: ("Stopped by itself", "badge-bad"),
    RedriveStatus.FAILED: ("Failed", "badge-bad"),
}
FILTERS = {
    "fingerprint": "of the error group",
    "error_type": "error type",
    "error": "error contains",
    "group_id": "group",
    "attribute": "attributes",
    "attribute_text": "attributes",
    "dead_lettered_before": "died before",
    "dead_lettered_after": "died at or after",
    "entered_before": "came here before",
    "entered_after": "came here at or after",
    "message_ids": "messages",
    "text": "body contains",
    "data": "body field",
    "source_queue": "died in",
    "min_redrive_count": "redriven at least",
    "max_redrive_count": "redriven at most",
}
MOST_VALUES = 5


def staying(reasons: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Each reason as a sentence, with its number."""
    return [(STAYING.get(reason, reason), number) for reason, number in reasons]


def status(task: RedriveTask) -> tuple[str, str]:
    """The word and the colour that goes with it."""
    return STATUSES[RedriveStatus(task.status)]


def canary_state(task: RedriveTask, came_back: int) -> str:
    """Where it is on the ladder: "Step 2 of 3: 11 moved, watching until 12:01:30; 0 came back."."""
    if not task.canary:
        return ""
    steps = len(task.canary["steps"]) + 1  # the last is all the others
    moved = f"{task.moved:,} moved"
    if task.status == RedriveStatus.RUNNING and task.watch_until:
        until = timezone.localtime(task.watch_until)
        moved += f", watching until {until:%H:%M:%S}"
    return f"Step {min(task.step + 1, steps)} of {steps}: {moved}; {came_back:,} came back."


def ladder(rules: Mapping[str, Any] | None) -> str:
    """The rules of the ladder in a sentence."""
    if not rules:
        return "All at once"
    steps = ", then ".join(f"{step:,}" for step in rules["steps"])
    percent = f"{rules['max_return_ratio'] * 100:g}"
    return (
        f"{steps}, then all the others; each step watched for up to {rules['watch_seconds']:g} s; "
        f"stops when more than {percent} % come back"
    )


def filter_words(kept: Mapping[str, Any]) -> list[str]:
    """What a kept filter asks for, a phrase for each key. The guard that was lifted is no filter."""
    if kept.get("max_redrive_count") == limits.REDRIVE_COUNT[1]:
        kept = {key: value for key, value in kept.items() if key != "max_redrive_count"}
    return [f"{FILTERS.get(key, key)} {_value(value)}" for key, value in kept.items()]


def includes_often_redriven(kept: Mapping[str, Any]) -> bool:
    return int(kept.get("max_redrive_count", 0)) >= limits.MOST_REDRIVES


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {inner}" for name, inner in value.items())
    if isinstance(value, list):
        more = f" and {len(value) - MOST_VALUES} more" if len(value) > MOST_VALUES else ""
        return ", ".join(str(inner) for inner in value[:MOST_VALUES]) + more
    return str(value)
