"""The trash reads what it is asked for, however much lies there and whatever the statistics say."""

import uuid

import pytest
from django.db import connection

from queues.models import DiscardedMessage, Message
from tests.queues.sql.explained import Plan, explain, without_statistics

pytestmark = pytest.mark.django_db

LIVE, TRASHED = 900_021, 900_022
ROWS, LIMIT = 50_000, 10


@pytest.fixture(scope="module", params=["never analysed", "analysed"])
def filled(request, django_db_setup, django_db_blocker):
    """50,000 live messages, and as many in the trash, all of them due."""
    tables = ("message", "discarded_message")
    with django_db_blocker.unblock(), without_statistics(*tables), connection.cursor() as cursor:
        for queue_id in (LIVE, TRASHED):
            cursor.execute(
                f"""INSERT INTO message (queue_id, size_bytes, data, history)
                    SELECT {queue_id}, 1, 'x', '[{{"event": "requeued", "from": 1}}]'
                      FROM generate_series(1, {ROWS})"""
            )
        cursor.execute(
            f"""INSERT INTO discarded_message (message_id, team_id, queue_id, discarded_at, discarded_by,
                                               reason, expires_at, size_bytes, row)
                SELECT id, 1, queue_id, now(), 'ada', '', now(), 1, to_jsonb(message)
                  FROM message
                 WHERE queue_id = {TRASHED}"""
        )
        cursor.execute(f"DELETE FROM message WHERE queue_id = {TRASHED}")
        if request.param == "analysed":
            cursor.execute("VACUUM ANALYZE message, discarded_message")
        yield
        cursor.execute("TRUNCATE message, discarded_message")


def some_ids(model: type, field: str) -> list[uuid.UUID]:
    return list(model.objects.order_by("id").values_list(field, flat=True)[:LIMIT])


def test_discard_reads_only_the_messages_it_takes(filled):
    plan = explain(
        "discarded_message/discard",
        queue_id=LIVE,
        team_id=1,
        bounded=True,
        retention_seconds=60,
        ids=some_ids(Message, "id"),
        by="ada",
        reason="",
        replaced_by=None,
        kept_entries=20,
        now=None,
    )
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= 2 * LIMIT  # found, then removed


def restore(queue_id: int, ids: list[uuid.UUID]) -> Plan:
    return explain(
        "discarded_message/restore",
        queue_id=queue_id,
        ids=ids,
        by="ada",
        rank_step=None,
        kept_entries=20,
        now=None,
    )


def test_restore_reads_only_the_rows_it_brings_back(filled):
    plan = restore(TRASHED, some_ids(DiscardedMessage, "message_id"))
    assert plan.indexes("discarded_message") == {"discarded_message_once"}
    assert plan.rows_read("discarded_message") <= 2 * LIMIT


def test_purge_reads_a_batch(filled):
    plan = explain("discarded_message/purge", batch=LIMIT, now="2100-01-01T00:00:00Z")
    assert plan.indexes("discarded_message") == {"discarded_message_expiry", "discarded_message_pkey"}
    assert plan.rows_read("discarded_message") <= 2 * LIMIT


def test_purge_reads_nothing_while_nothing_is_due(filled):
    plan = explain("discarded_message/purge", batch=LIMIT, now="2000-01-01T00:00:00Z")
    assert plan.rows_read("discarded_message") == 0


def test_lock_requeued_reads_only_the_message_it_names(filled):
    plan = explain("message/lock_requeued", dlq_id=1, team_id=1, id=some_ids(Message, "id")[0])
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= 1
