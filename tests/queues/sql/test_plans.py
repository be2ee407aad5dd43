"""The hot statements read what they need, whatever the queue holds and whatever the statistics say.

The rows are written behind the engine's back and never analysed: that is how a queue looks to the planner
just after a burst.
"""

import uuid

import pytest
from django.db import connection

from queues.models import Message, Queue, Team
from tests.queues.sql.explained import explain, without_statistics

pytestmark = pytest.mark.django_db

DEEP, LEASED, EMPTY, DEAD = 900_001, 900_002, 900_003, 900_004
LIMIT = 10
BACKOFF = {"backoff_base": 1, "backoff_factor": 2, "backoff_max": 60, "backoff_jitter": 0.5, "chance": None}
PROMOTES = pytest.mark.parametrize(
    ("promote", "backoff"), [("message/promote", {}), ("message/promote_with_backoff", BACKOFF)]
)


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """300,000 ready messages in one queue, 100,000 leased in another, 100,000 dead rows in a third."""
    with django_db_blocker.unblock(), without_statistics("message"), connection.cursor() as cursor:
        fill(cursor, DEEP, 300_000, "'ready', now(), 0")
        fill(cursor, LEASED, 100_000, "'leased', now() + interval '1 hour', 1")
        fill(cursor, DEAD, 50_000, "'ready', now(), 99")
        fill(cursor, DEAD, 50_000, "'exhausted', now(), 99")
        yield
        cursor.execute("TRUNCATE message")


def fill(cursor, queue_id: int, rows: int, state: str) -> None:
    cursor.execute(
        f"""INSERT INTO message (queue_id, size_bytes, data, state, visible_at, delivery_count)
            SELECT {queue_id}, 1, 'x', {state} FROM generate_series(1, {rows})"""
    )


@pytest.fixture(params=[DEEP, LEASED, EMPTY, DEAD], ids=["300k ready", "100k leased", "empty", "100k dead"])
def queue_id(request, filled) -> int:
    return request.param


FLOORS = pytest.mark.parametrize("floor", [None, uuid.UUID(int=0)], ids=["no floor", "with floor"])


@FLOORS
def test_claim_reads_the_head_of_the_ready_index(queue_id, floor):
    plan = explain(
        "message/claim",
        queue_id=queue_id,
        batch=LIMIT,
        look=LIMIT,
        floor=floor,
        mortal=True,
        max_deliveries=3,
        retention_seconds=345_600,
        visibility_timeout=30,
        by=None,
        now=None,
    )
    assert plan.indexes() == {"message_ready", "message_pkey"}
    assert plan.rows_read() <= 2 * LIMIT  # found, then updated


@PROMOTES
def test_promote_reads_only_what_is_due(queue_id, promote, backoff):
    plan = explain(
        promote,
        queue_id=queue_id,
        batch=LIMIT,
        floor=None,
        mortal=True,
        max_deliveries=3,
        **backoff,
        kept_entries=20,
        now=None,
    )
    assert plan.indexes() == {"message_parked", "message_pkey"}
    assert plan.rows_read() == 0


@PROMOTES
def test_promote_reads_no_more_than_a_batch_of_what_is_due(filled, promote, backoff):
    plan = explain(
        promote,
        queue_id=LEASED,
        batch=LIMIT,
        floor=None,
        mortal=True,
        max_deliveries=3,
        **backoff,
        kept_entries=20,
        now="2100-01-01T00:00:00Z",
    )
    assert plan.rows_read() <= 2 * LIMIT


def test_finish_reads_only_the_messages_it_ends(queue_id):
    ids = list(Message.objects.filter(queue_id=queue_id).order_by("id").values_list("id", flat=True)[:LIMIT])
    plan = explain(
        "message/finish",
        queue_id=queue_id,
        team_id=1,
        bounded=True,
        ids=ids,
        receipts=[None] * len(ids),
        outcome="acked",
        now=None,
    )
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= 2 * LIMIT
    assert plan.indexes("queue_slot") <= {"queue_slot_of_queue", "queue_slot_pkey"}  # either finds one row


def one_of(queue_id: int) -> uuid.UUID:
    found = Message.objects.filter(queue_id=queue_id).order_by("id").values_list("id", flat=True).first()
    return found or uuid.UUID(int=0)


def test_change_visibility_reads_only_the_message_it_names(queue_id):
    plan = explain(
        "message/change_visibility",
        queue_id=queue_id,
        id=one_of(queue_id),
        receipt=None,
        visibility_timeout=30,
        total_seconds=43_200,
        kept_entries=20,
        now=None,
    )
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= 2


def test_nack_reads_only_the_message_it_names(queue_id):
    plan = explain(
        "message/nack",
        queue_id=queue_id,
        id=one_of(queue_id),
        receipt=None,
        mortal=True,
        max_deliveries=3,
        delay_seconds=None,
        **BACKOFF,
        error=None,
        error_in_brief=None,
        error_type=None,
        fingerprint=None,
        kept_entries=20,
        now=None,
    )
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() <= 2


def test_send_reads_no_message(queue_id):
    plan = explain(
        "message/send",
        queue_id=queue_id,
        bounded=True,
        count=1,
        rank_step=None,
        data=["x"],
        attributes=[None],
        delay_seconds=[0],
        priority=[0],
        group_id=[None],
        ttl_seconds=[None],
        max_deliveries=[None],
        trace_id=[None],
        size_bytes=[1],
        now=None,
    )
    assert plan.scans() == []
    assert plan.indexes("queue_slot") <= {"queue_slot_of_queue", "queue_slot_pkey"}  # either finds one row


def test_head_reads_one_row_of_a_rank(queue_id):
    plan = explain("message/head", queue_id=queue_id)
    assert plan.indexes() == {"message_ready"}
    assert plan.rows_read() <= 1


def test_lock_exhausted_reads_a_batch(queue_id):
    plan = explain("message/lock_exhausted", queue_id=queue_id, batch=LIMIT)
    assert plan.indexes() == {"message_ended"}
    assert plan.rows_read() <= LIMIT


def test_count_stops_at_its_bound(queue_id):
    plan = explain("message/count", queue_id=queue_id, most=1000, now=None)
    assert plan.indexes() == {"message_ready", "message_parked", "message_ended"}
    assert plan.rows_read() <= 3 * 1000


def test_expire_reads_nothing_while_nothing_is_over_age(queue_id):
    plan = explain(
        "message/expire",
        queue_id=queue_id,
        batch=LIMIT,
        retention_seconds=345_600,
        oldest_kept=uuid.UUID(int=0),
        now=None,
    )
    assert plan.indexes() == {"message_ttl", "message_pkey", "message_dead"}
    assert plan.rows_read() == 0


def test_deliverable_reads_no_more_than_there_are_waiters(queue_id):
    """The ids of the tests are no queues, so a queue is made of one: the probe looks at live ones only."""
    team = Team.objects.create(name="waiting")
    Queue.objects.create(pk=queue_id, team=team, name="waited-for")
    plan = explain("queue/deliverable", queue_ids=[queue_id], most=[LIMIT], now=None)
    assert plan.indexes() == {"message_ready", "message_parked"}
    assert plan.rows_read() <= 2 * LIMIT
    assert plan.indexes("queue") == {"queue_pkey"}


def test_health_stops_at_its_bounds(queue_id):
    Queue.objects.create(pk=queue_id, team=Team.objects.create(name="watched"), name="watched")
    plan = explain("queue/health", queue_ids=[queue_id], most=1000, most_parked=1000, now=None)
    assert "Seq Scan" not in plan.indexes()
    assert plan.rows_read() <= 1001 + 1000 + 2  # counted, parked, and the head of a rank
    assert plan.indexes("queue_activity") == {"queue_activity_once"}
    assert plan.indexes("queue_tally_delta") == {"queue_tally_delta_of_queue"}
