"""Which rows the data source asks for, on the real tables: each stay once, and no more than is needed."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from queues.models import Message, MessageLog, Queue
from queues.operations import trash
from queues.operations.ack import ack
from queues.operations.receive import receive
from spark_jobs.sources import statements
from spark_jobs.sources.stays import COLUMNS
from tests import statistics
from tests.factories import NOW, new_queue, ready_message
from tests.queues.dying import died_of

pytestmark = pytest.mark.django_db


def after(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def rows_of(queries: Sequence[str]) -> list[dict[str, Any]]:
    found = []
    with connection.cursor() as cursor:
        for query in queries:
            cursor.execute(query)
            names = [column.name for column in cursor.description]
            found += [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return found


def stays(
    start: float, stop: float, settled: float, queue: Queue | None = None, partitions: int = 4
) -> list[dict[str, Any]]:
    return rows_of(
        statements.stays(COLUMNS, after(start), after(stop), after(settled), queue and queue.pk, partitions)
    )


def acked(queue: Queue, sent: float, ended: float) -> None:
    ready_message(queue, now=after(sent))
    [delivery] = receive(queue, now=after(sent))
    ack(queue, [delivery.receipt_handle], after(ended))


def plan_of(query: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {query}")
        return "\n".join(line for [line] in cursor.fetchall())


@pytest.fixture
def queue() -> Queue:
    return new_queue()


def test_it_reads_stays_that_overlap_the_window_once(queue):
    acked(queue, 0, 5)  # over before it
    acked(queue, 5, 12)
    acked(queue, 12, 15)
    acked(queue, 12, 25)  # over after the window, settled
    acked(queue, 12, 35)  # over after that
    ready_message(queue, now=after(13))
    ready_message(queue, now=after(21))  # came later
    found = stays(10, 20, settled=30)
    assert sorted((row["enqueued_at"], row["ended_at"] or after(99)) for row in found) == [
        (after(5), after(12)),
        (after(12), after(15)),
        (after(12), after(25)),
        (after(12), after(35)),
        (after(13), after(99)),
    ]


def test_messages_that_nothing_happened_to_are_one_row(queue):
    for minute in (1, 2, 3):
        ready_message(queue, now=after(minute))
    ready_message(queue, now=after(12))
    [counted] = [row for row in stays(10, 20, settled=20) if row["message_id"] is None]
    assert (counted["stays"], counted["enqueued_at"], counted["queue_id"]) == (3, after(1), queue.pk)


def test_one_that_was_delivered_since_is_listed(queue):
    ready_message(queue, now=after(1))
    receive(queue, now=after(11))
    [row] = stays(10, 20, settled=20)
    assert (row["stays"], row["first_delivered_at"]) == (1, after(11))


def test_one_in_the_trash_left_when_it_was_thrown_away(queue):
    ready_message(queue, now=after(1))
    [message] = Message.objects.all()
    trash.discard(queue, [message.public_id], by="olivia", now=after(12))
    [row] = stays(10, 20, settled=20)
    assert (row["ended_at"], row["outcome"], row["stays"]) == (after(12), "discarded", 1)
    assert stays(13, 20, settled=20) == []


def test_once_the_trash_is_emptied_it_still_left_when_it_was_thrown_away(queue):
    ready_message(queue, now=after(1))
    [message] = Message.objects.all()
    trash.discard(queue, [message.public_id], by="olivia", now=after(12))
    assert trash.empty(10, after(60 * 24 * 365)) == 1
    assert MessageLog.objects.get().left_at == after(12)
    [row] = stays(10, 20, settled=20)
    assert (row["ended_at"], row["outcome"]) == (after(12), "discarded")


def test_it_reads_one_queue_if_asked_to(queue):
    ready_message(queue, now=after(11))
    ready_message(new_queue(), now=after(11))
    assert [row["queue_id"] for row in stays(10, 20, 20, queue)] == [queue.pk]


def test_the_settled_past_is_read_from_the_log_alone():
    queries = statements.settled_stays(COLUMNS, after(0), after(20), after(30), None, 4)
    assert len(queries) == 4
    plan = plan_of(queries[0])
    assert "message_log" in plan
    assert "on message m" not in plan
    assert "discarded_message" not in plan


def test_a_short_window_has_few_readers():
    assert len(statements.settled_stays(COLUMNS, after(0), after(2), after(3), None, 8)) == 1
    assert len(statements.open_stays(COLUMNS, after(0), after(2), after(3), None, 8)) == 2


def test_every_id_belongs_to_one_reader():
    conditions = statements._id_slices(after(0), after(60), 3)
    uppers = [condition.split("message_id < '")[1] for condition in conditions[:-1]]
    lowers = [condition.split("message_id >= '")[1].split(" AND")[0] for condition in conditions[1:]]
    assert len(conditions) == 4
    assert uppers == lowers == sorted(set(uppers))


def test_dying_letters_are_found_by_what_makes_them_expire_and_by_nothing_else(queue):
    """Among many messages that are alive, of which the planner knows nothing: see BY_INDEX."""
    [query] = statements.dying_letters(["message_id"], NOW, None)
    statistics.forget()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO message (queue_id, size_bytes, data)"
            " SELECT %s, 1, 'x' FROM generate_series(1, 20000)",
            [queue.pk],
        )
        for setting in statements.BY_INDEX:
            cursor.execute(setting)
    plan = plan_of(query)
    assert re.search(r"using message_dead on message .*\n.*Index Cond: .*entered_at <= ", plan)
    assert re.search(r"using message_ttl on message .*\n.*Index Cond: .*expires_at <= ", plan)
    assert "Seq Scan" not in plan


def test_a_letter_that_died_again_since_is_not_opened_for_its_first_death():
    letter = died_of(new_queue(max_deliveries=1), data="poison")
    keys = [(letter.queue_id, letter.id, letter.dead_lettered_at)]
    [row] = rows_of([statements.letters(["message_id", "body"], keys)])
    assert row == {"message_id": str(letter.id), "body": "poison"}
    Message.objects.filter(id=letter.id).update(dead_lettered_at=after(1))
    assert rows_of([statements.letters(["message_id", "body"], keys)]) == []
