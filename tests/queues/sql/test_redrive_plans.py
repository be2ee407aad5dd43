"""A batch of a redrive reads a batch, however many dead letters there are and whatever the statistics say."""

import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from queues.managers.redrive_task import LOWEST
from queues.models import Message, Queue, RedriveTask, Team
from queues.operations.redrive_run import HIGHEST, LOOK_AHEAD, candidates
from tests.queues.sql.explained import Plan, explain, explain_rows, without_statistics

pytestmark = pytest.mark.django_db

DLQ, TARGET = 900_011, 900_012
LETTERS, LIMIT = 100_000, 100


@pytest.fixture(scope="module", params=["never analysed", "analysed long ago", "analysed"])
def filled(request, django_db_setup, django_db_blocker):
    """100,000 dead letters, and as many messages that a redrive has moved."""
    with django_db_blocker.unblock(), without_statistics("message"), connection.cursor() as cursor:
        if request.param == "analysed long ago":  # when there were other queues, and these were not there
            cursor.execute(
                """INSERT INTO message (queue_id, size_bytes, data, dead_lettered_at, source_queue_id)
                   SELECT 1 + n % 3, 1, 'x', now(), 9 FROM generate_series(1, 1000) AS n"""
            )
            cursor.execute("ANALYZE message")
            cursor.execute("TRUNCATE message")
        cursor.execute(
            f"""INSERT INTO message (queue_id, size_bytes, data, dead_lettered_at, source_queue_id)
                SELECT {DLQ}, 1, 'x', now(), {TARGET} FROM generate_series(1, {LETTERS})"""
        )
        cursor.execute(
            f"""INSERT INTO message (queue_id, size_bytes, data, redrive_id, history)
                SELECT {TARGET}, 1, 'x', 1, '[{{"event": "redriven"}}]' FROM generate_series(1, {LETTERS})"""
        )
        if request.param == "analysed":
            cursor.execute("ANALYZE message")
        yield
        cursor.execute("TRUNCATE message")


@pytest.fixture
def task(filled) -> RedriveTask:
    team = Team.objects.create(name="redriving")
    dlq = Queue.objects.create(pk=DLQ, team=team, name="dlq")
    now = timezone.now() + timedelta(hours=1)
    return RedriveTask.objects.create(team=team, dlq=dlq, cut_off=now, started_at=now)


def half_way() -> uuid.UUID:
    rows = Message.objects.filter(queue_id=DLQ).order_by("id").values_list("id", flat=True)
    return rows[LETTERS // 2]


def of_a_batch(task: RedriveTask) -> Plan:
    upto = RedriveTask.objects.id_ahead(task, LOOK_AHEAD) or HIGHEST
    return explain_rows(candidates(task, upto, None)[:LIMIT])


def test_a_batch_reads_a_batch(task):
    plan = of_a_batch(task)
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= LIMIT


def test_it_does_so_half_way_through(task):
    task.cursor = half_way()
    plan = of_a_batch(task)
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= LIMIT


def test_it_reads_a_stretch_when_nothing_matches(task):
    task.filter = {"fingerprint": "none"}
    plan = of_a_batch(task)
    assert plan.indexes() <= {"message_pkey", "message_group"}  # each ends where the window ends
    assert plan.rows_read() <= LOOK_AHEAD


def test_it_looks_up_messages_that_are_named(task):
    rows = Message.objects.filter(queue_id=DLQ).order_by("-id")[:3]
    task.filter = {"message_ids": [message.public_id for message in rows]}
    plan = explain_rows(candidates(task, HIGHEST, None)[:LIMIT])
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= 3


def test_looking_ahead_reads_only_the_index(task):
    plan = explain("message/id_ahead", queue_id=DLQ, after=LOWEST, look=LOOK_AHEAD)
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= LOOK_AHEAD


def test_an_undo_reads_a_batch(filled):
    plan = explain("message/lock_redriven", redrive_id=1, dlq_id=DLQ, batch=LIMIT)
    assert plan.indexes() == {"message_redriven"}
    assert plan.rows_read() <= LIMIT
