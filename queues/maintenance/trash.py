"""Empties the trash of messages that have lain there as long as they may."""

from datetime import datetime

from queues.operations import trash


def run_once(batch: int, now: datetime | None = None) -> int:
    return trash.empty(batch, now)
