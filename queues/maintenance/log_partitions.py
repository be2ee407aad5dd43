"""Makes the daily partitions of the log ahead of time, and drops those older than the retention.

With a lake, only those that are there: the digest of the day is that of what was read back from the lake.
"""

from datetime import date, datetime, timedelta

from django.conf import settings
from django.utils import timezone

from queues.models import MessageLog

DAYS_AHEAD = 7


def run_once(batch: int, now: datetime | None = None) -> int:
    today = (now or timezone.now()).date()
    oldest_kept = _oldest_kept(today)
    made = _make(today, oldest_kept, batch)
    dropped = _drop(today, batch)
    if settings.SIMPLEMQ_LAKE:
        return made + dropped
    return made + dropped + MessageLog.objects.clear_default(oldest_kept, batch)


def _make(today: date, oldest_kept: date, batch: int) -> int:
    wanted = {today + timedelta(days=ahead) for ahead in range(DAYS_AHEAD + 1)}
    if settings.SIMPLEMQ_LAKE:
        # What the default partition has caught is archived by the day as well.
        wanted |= MessageLog.objects.days_in_default(oldest_kept)
    missing = wanted - MessageLog.objects.days()
    for day in sorted(missing)[:batch]:
        MessageLog.objects.add_day(day)
    return len(missing)


def overdue(today: date) -> list[date]:
    """Days that are there although the retention is over."""
    return [day for day in sorted(MessageLog.objects.days()) if day < _oldest_kept(today)]


def _drop(today: date, batch: int) -> int:
    gone = [day for day in overdue(today)[:batch] if _may_go(day)]
    for day in gone:
        MessageLog.objects.drop_day(day)
    return len(gone)


def _oldest_kept(today: date) -> date:
    return today - timedelta(days=settings.SIMPLEMQ_LOG_RETENTION_DAYS)


def _may_go(day: date) -> bool:
    return not settings.SIMPLEMQ_LAKE or MessageLog.objects.is_in_lake(settings.SIMPLEMQ_LAKE, day)
