"""Folds what was counted in and out of groups of dead letters."""

from datetime import datetime

from queues.models import ErrorGroup


def run_once(batch: int, now: datetime | None = None) -> int:
    return ErrorGroup.objects.fold(batch)
