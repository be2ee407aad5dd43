"""The rate of a redrive: so many messages a second, evenly, and no rush to catch up after a pause."""

from datetime import datetime, timedelta
from math import floor

from queues import limits
from queues.models import RedriveTask

# A pause saves up what one second allows. Less than the duty's rhythm, and the rate would never be reached.
SAVED_UP_SECONDS = 1


def room(task: RedriveTask, clock: datetime) -> int:
    """How many messages may move now."""
    if task.max_messages_per_second is None:
        return limits.REDRIVE_LIMIT[1]
    waited = (clock - _due(task, clock)).total_seconds()
    return max(0, floor(waited * task.max_messages_per_second) + 1)


def note(task: RedriveTask, moved: int, clock: datetime) -> None:
    """So many have moved: when is the next one due?"""
    if task.max_messages_per_second is not None and moved:
        task.paced_at = _due(task, clock) + moved * _interval(task)


def _due(task: RedriveTask, clock: datetime) -> datetime:
    """When the first of those was due that may move now."""
    earliest = clock - timedelta(seconds=SAVED_UP_SECONDS) + _interval(task)
    return max(task.paced_at or task.started_at, earliest)


def _interval(task: RedriveTask) -> timedelta:
    return timedelta(seconds=1 / (task.max_messages_per_second or 1))
