"""The log after tests that commit: Django empties the tables it manages, and this is none of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from queues.models import MessageLog


@contextmanager
def left_as_it_was() -> Iterator[None]:
    days = MessageLog.objects.days()
    yield
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE message_log")
    for day in MessageLog.objects.days() - days:
        MessageLog.objects.drop_day(day)
