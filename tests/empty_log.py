"""An empty log for tests that commit: Django empties the tables it manages, and this is none of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from queues.models import MessageLog


@contextmanager
def empty_log() -> Iterator[None]:
    """What tests before have left in it goes; what this one leaves goes too, with the days it made."""
    days = MessageLog.objects.days()
    _empty()
    yield
    _empty()
    for day in MessageLog.objects.days() - days:
        MessageLog.objects.drop_day(day)


def _empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE message_log")
