"""Forgets the hours of error groups after two weeks, and empty groups in which nobody died for a month.

A group with a note stays: somebody wrote down what to do about it, and it may come back.
"""

from datetime import datetime, timedelta

from django.utils import timezone

from queues.models import ErrorGroup, ErrorGroupHour

HOURS_KEPT = timedelta(days=14)
EMPTY_KEPT = timedelta(days=30)


def run_once(batch: int, now: datetime | None = None) -> int:
    clock = now or timezone.now()
    hours = ErrorGroupHour.objects.filter(bucket__lt=clock - HOURS_KEPT).delete()[0]
    return hours + ErrorGroup.objects.prune(clock - EMPTY_KEPT)
