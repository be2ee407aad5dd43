"""Makes the daily partitions of the log ahead of time, and drops those older than the retention."""

from datetime import date, datetime, timedelta

from django.conf import settings
from django.utils import timezone

from queues.models import MessageLog

DAYS_AHEAD = 7


def run_once(batch: int, now: datetime | None = None) -> int:
    today = (now or timezone.now()).date()
    existing = MessageLog.objects.days()
    missing = {today + timedelta(days=ahead) for ahead in range(DAYS_AHEAD + 1)} - existing
    outlived = {day for day in existing if day < _oldest_kept(today)}
    for day in sorted(missing)[:batch]:
        MessageLog.objects.add_day(day)
    for day in sorted(outlived)[:batch]:
        MessageLog.objects.drop_day(day)
    return len(missing) + len(outlived) + MessageLog.objects.clear_default(_oldest_kept(today), batch)


def _oldest_kept(today: date) -> date:
    return today - timedelta(days=settings.SIMPLEMQ_LOG_RETENTION_DAYS)
