"""Days of the log: from midnight to midnight, UTC."""

from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, time, timedelta

DAY = timedelta(days=1)


def bounds_of(day: date) -> tuple[datetime, datetime]:
    midnight = datetime.combine(day, time(), UTC)
    return midnight, midnight + DAY


def apart_from(days: Iterable[date], start: datetime, stop: datetime) -> list[tuple[datetime, datetime]]:
    """What is left of [start, stop) without these days."""
    left = []
    for day in sorted(days):
        midnight, next_midnight = bounds_of(day)
        if start < midnight:
            left.append((start, min(midnight, stop)))
        start = max(start, next_midnight)
        if start >= stop:
            return left
    return [*left, (start, stop)] if start < stop else left


def back_through(days: Collection[date], end: datetime) -> datetime:
    """The midnight from which on there is one of these days after another, up to `end`."""
    day = end.astimezone(UTC).date()
    begins = end
    while day - DAY in days:
        day -= DAY
        begins, _ = bounds_of(day)
    return begins
