"""The console's pages read what they show, however much there is and whatever the statistics say."""

import uuid

import pytest
from django.db import connection

from queues.models import AuditEntry, DiscardedMessage, Message, Queue, Team
from queues.operations import audit, everywhere, trash
from tests.queues.sql.explained import explain, explain_rows, without_statistics

pytestmark = pytest.mark.django_db

DLQ, OTHER, MANY = 900_031, 900_032, 900_033
ROWS, RARE, PAGE = 50_000, 5, 51
TABLES = "message, discarded_message, audit_entry"
COMMON_PRINT, RARE_PRINT = "v1:common", "v1:rare"


@pytest.fixture(scope="module", params=["never analysed", "analysed"])
def filled(request, django_db_setup, django_db_blocker):
    """Two deep queues; in one of them a rare error lies among common ones. A deep trash and a long audit."""
    with (
        django_db_blocker.unblock(),
        without_statistics(*TABLES.split(", ")),
        connection.cursor() as cursor,
    ):
        for queue_id in (DLQ, OTHER):
            cursor.execute(
                f"""INSERT INTO message (queue_id, size_bytes, data, dead_lettered_at, fingerprint)
                    SELECT {queue_id}, 1, 'x', now(),
                           CASE WHEN n <= {RARE} THEN '{RARE_PRINT}' ELSE '{COMMON_PRINT}' END
                      FROM generate_series(1, {ROWS}) AS n"""
            )
        cursor.execute(
            f"""INSERT INTO discarded_message (message_id, team_id, queue_id, discarded_at, discarded_by,
                                               reason, expires_at, size_bytes, row)
                SELECT id, 1, queue_id, now(), 'ada', '', now(), 1, to_jsonb(message)
                  FROM message WHERE queue_id = {OTHER}"""
        )
        Team.objects.create(pk=MANY, name="of many entries")
        cursor.execute(
            f"""INSERT INTO audit_entry (team_id, at, actor, action, queue_name, subject, detail, reason)
                SELECT {MANY}, now(), 'ada', 'queue.paused', 'orders', '', '{{}}', ''
                  FROM generate_series(1, {ROWS})"""
        )
        if request.param == "analysed":
            cursor.execute(f"VACUUM ANALYZE {TABLES}")
        yield
        cursor.execute(f"TRUNCATE {TABLES}")
        Team.objects.filter(pk=MANY).delete()


@pytest.mark.parametrize("fingerprint", [COMMON_PRINT, RARE_PRINT, "v1:none"])
def test_samples_are_read_from_the_group(filled, fingerprint):
    plan = explain("error_group/samples", queue_id=DLQ, fingerprints=[fingerprint], characters=4_096, most=3)
    assert plan.indexes() == {"message_group"}
    assert plan.rows_read() <= 3


def test_a_message_is_found_by_key_in_whichever_of_many_queues(filled):
    wanted = Message.objects.filter(queue_id=OTHER).order_by("id").values_list("id", flat=True)[ROWS // 2]
    queue_ids = [*range(500), DLQ, OTHER]
    plan = explain_rows(everywhere.in_queues(queue_ids, wanted))
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= 1


def test_a_discarded_message_is_found_by_key(filled):
    wanted = DiscardedMessage.objects.order_by("id").values_list("message_id", flat=True)[ROWS // 2]
    plan = explain_rows(everywhere.in_trash([*range(500), DLQ, OTHER], wanted))
    assert plan.indexes("discarded_message") == {"discarded_message_once"}
    assert plan.rows_read("discarded_message") <= 1


def test_a_message_that_is_nowhere_costs_no_rows(filled):
    nobody = uuid.UUID(int=7)
    assert explain_rows(everywhere.in_queues([DLQ, OTHER], nobody)).rows_read() == 0
    assert explain_rows(everywhere.in_trash([DLQ, OTHER], nobody)).rows_read("discarded_message") == 0


def test_a_page_of_the_trash_reads_a_page(filled):
    rows = trash.in_brief(trash.trash_of(Queue(pk=OTHER))).order_by("-pk")[:PAGE]
    plan = explain_rows(rows)
    assert plan.rows_read("discarded_message") <= PAGE


def test_a_page_of_the_audit_reads_a_page(filled):
    plan = explain_rows(audit.entries(Team.objects.filter(pk=MANY))[:PAGE])
    assert plan.rows_read("audit_entry") <= PAGE


def test_an_audit_filter_that_matches_nothing_reads_the_entries_once(filled):
    plan = explain_rows(audit.entries(Team.objects.filter(pk=MANY), actor="nobody")[:PAGE])
    assert plan.rows_read("audit_entry") <= AuditEntry.objects.count()
