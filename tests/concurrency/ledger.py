"""The books: where each message is, and how its stays ended. Taken in one snapshot each."""

import uuid
from collections import Counter
from collections.abc import Iterable

from django.db import connection

from queues.models import Message, MessageLog, Outcome, Queue, QueueSlot

MOVES = (Outcome.DEAD_LETTERED, Outcome.REQUEUED, Outcome.REDRIVEN)


def live(*queues: Queue) -> list[uuid.UUID]:
    """The messages in these queues, in whatever state."""
    rows = Message.objects.filter(queue_id__in=[queue.pk for queue in queues])
    return list(rows.values_list("id", flat=True))


def ended(queue: Queue, *outcomes: Outcome) -> Counter[uuid.UUID]:
    """How often a message's stay in this queue ended in one of these ways; in any way when none is named."""
    rows = MessageLog.objects.filter(queue_id=queue.pk)
    if outcomes:
        rows = rows.filter(outcome__in=outcomes)
    return Counter(rows.values_list("message_id", flat=True))


def finished(message_ids: Iterable[uuid.UUID]) -> Counter[uuid.UUID]:
    """How often each of these messages was finished for good, in whichever queue."""
    rows = MessageLog.objects.filter(message_id__in=list(message_ids)).exclude(outcome__in=MOVES)
    return Counter(rows.values_list("message_id", flat=True))


def places(queue: Queue) -> tuple[int, int]:
    """How many messages a bounded queue holds and how many more it would take, at one moment."""
    messages, slots = Message._meta.db_table, QueueSlot._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT (SELECT count(*) FROM {messages} WHERE queue_id = %(id)s),"
            f"       (SELECT sum(free) FROM {slots} WHERE queue_id = %(id)s)",
            {"id": queue.pk},
        )
        return cursor.fetchone()
