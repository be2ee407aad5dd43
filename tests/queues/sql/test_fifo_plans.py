"""The statements of FIFO queues read what they need, whatever the lines are and whatever the statistics say.

The rows are written behind the engine's back and never analysed, as in test_plans.py.
"""

import uuid

import pytest
from django.db import connection

from queues.models import Message, Queue, Team
from tests.queues.sql.explained import Plan, explain

pytestmark = pytest.mark.django_db

DEEP, BLOCKED, LEASED, EMPTY = 910_001, 910_002, 910_003, 910_004
LIMIT = 10
IN_LINE, KEY = "message_in_line", "message_pkey"


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """100,000 messages each: in 10,000 groups; in one whose first is not due, and three free ones beside it;
    in 10,000 groups of which every first one is leased."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE message SET (autovacuum_enabled = off)")
        cursor.execute("ALTER TABLE fifo_group SET (autovacuum_enabled = off)")
        line_up(cursor, DEEP, 100_000, "'group ' || n % 10000", "'ready'", "now()")
        line_up(cursor, BLOCKED, 1, "'stuck'", "'delayed'", "now() + interval '1 hour'")
        line_up(cursor, BLOCKED, 100_000, "'stuck'", "'ready'", "now()")
        line_up(cursor, BLOCKED, 3, "'free ' || n", "'ready'", "now()")
        line_up(cursor, LEASED, 10_000, "'group ' || n", "'leased'", "now() + interval '1 hour'")
        line_up(cursor, LEASED, 90_000, "'group ' || n % 10000 + 1", "'ready'", "now()")
        cursor.execute(
            """INSERT INTO fifo_group (queue_id, group_id, look_at)
               SELECT queue_id, group_id, max(visible_at) FROM message GROUP BY queue_id, group_id"""
        )
        yield
        cursor.execute("TRUNCATE message, fifo_group")
        cursor.execute("ALTER TABLE message RESET (autovacuum_enabled)")
        cursor.execute("ALTER TABLE fifo_group RESET (autovacuum_enabled)")


def line_up(cursor, queue_id: int, rows: int, group: str, state: str, visible_at: str) -> None:
    cursor.execute(
        f"""INSERT INTO message (queue_id, size_bytes, data, group_id, state, visible_at, sequence)
            SELECT {queue_id}, 1, 'x', {group}, {state}, {visible_at}, nextval('message_sequence')
              FROM generate_series(1, {rows}) AS n"""
    )


@pytest.fixture(
    params=[DEEP, BLOCKED, LEASED, EMPTY], ids=["10k groups", "one blocked", "all leased", "empty"]
)
def queue_id(request, filled) -> int:
    return request.param


def claim(queue_id: int, group_ids: list[str], batch: int = LIMIT) -> Plan:
    return explain(
        "message/claim_fifo",
        queue_id=queue_id,
        group_ids=group_ids,
        gates=[0] * len(group_ids),
        batch=batch,
        mortal=True,
        max_deliveries=3,
        retention_seconds=345_600,
        visibility_timeout=30,
        by=None,
        now=None,
    )


def lock_due(queue_id: int, groups: int) -> Plan:
    return explain("fifo_group/lock_due", queue_id=queue_id, groups=groups, now=None)


def test_lock_due_reads_the_groups_it_locks(queue_id):
    plan = lock_due(queue_id, LIMIT)
    assert plan.indexes("fifo_group") == {"fifo_group_due"}
    assert plan.rows_read("fifo_group") <= LIMIT
    assert plan.scans() == []


def test_lock_due_reads_no_group_that_is_put_off(filled):
    assert lock_due(LEASED, LIMIT).rows_read("fifo_group") == 0
    assert lock_due(BLOCKED, LIMIT).rows_read("fifo_group") == 3


@pytest.mark.parametrize("group", ["group 1", "stuck", "free 1", "nobody"])
def test_claim_reads_the_head_of_a_line(queue_id, group):
    plan = claim(queue_id, [group])
    assert plan.indexes() <= {IN_LINE, KEY}
    assert plan.rows_read() <= 2 + 3 * LIMIT  # what blocks it; then found, locked and updated
    assert plan.indexes("fifo_group") <= {"fifo_group_pkey"}
    assert plan.rows_read("fifo_group") <= 1


def test_claim_reads_no_line_that_somebody_holds(filled):
    assert claim(LEASED, ["group 1"]).rows_read() <= 1
    assert claim(BLOCKED, ["stuck"]).rows_read() <= 1


def test_claim_reads_no_more_lines_than_it_has_room_for(filled):
    """One group has all it wants: the others are not even looked at."""
    everybody = [f"group {number}" for number in range(1, 65)]
    plan = claim(DEEP, everybody, batch=5)
    assert plan.rows_read() <= 3 * 5
    plan = claim(DEEP, everybody, batch=100)
    assert plan.rows_read() <= 3 * 100


def test_forget_looks_at_one_message_of_a_group(queue_id):
    groups = ["group 1", "stuck", "nobody"]
    plan = explain("fifo_group/forget", queue_id=queue_id, group_ids=groups)
    assert plan.indexes() <= {IN_LINE}
    assert plan.rows_read() <= len(groups)
    assert plan.indexes("fifo_group") == {"fifo_group_pkey"}


def test_send_reads_no_message(queue_id):
    plan = explain(
        "message/send_fifo",
        queue_id=queue_id,
        bounded=True,
        gates=[0],
        count=1,
        rank_step=None,
        data=["x"],
        attributes=[None],
        delay_seconds=[0],
        priority=[0],
        group_id=["group 1"],
        ttl_seconds=[None],
        max_deliveries=[None],
        trace_id=[None],
        size_bytes=[1],
        now=None,
    )
    assert plan.scans() == plan.scans("fifo_group") == []
    assert plan.indexes("queue_slot") <= {"queue_slot_of_queue", "queue_slot_pkey"}  # either finds one row


def some_of(queue_id: int) -> list[uuid.UUID]:
    return list(Message.objects.filter(queue_id=queue_id).order_by("id").values_list("id", flat=True)[:LIMIT])


def test_lock_leased_reads_only_the_messages_it_names(queue_id):
    ids = some_of(queue_id)
    plan = explain(
        "message/lock_leased",
        queue_id=queue_id,
        ids=ids,
        receipts=[None] * len(ids),
        now=None,
    )
    assert plan.indexes() == {KEY}
    assert plan.rows_read() <= LIMIT


def test_call_reads_only_the_groups_it_names(queue_id):
    groups = ["group 1", "stuck", "nobody"]
    plan = explain("fifo_group/call", queue_id=queue_id, group_ids=groups, now=None)
    assert plan.indexes("fifo_group") == {"fifo_group_pkey"}
    assert plan.rows_read("fifo_group") <= 2 * len(groups)  # found, then updated
    assert plan.scans() == []


def test_a_nudge_reads_only_the_messages_it_names(queue_id):
    plan = explain("fifo_group/nudge", queue_id=queue_id, ids=some_of(queue_id))
    assert plan.indexes() == {KEY}
    assert plan.rows_read() <= LIMIT


def test_fold_reads_a_batch_of_nudges(filled):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO fifo_nudge (queue_id, group_id) SELECT %s, n FROM generate_series(1, 10000) n",
            [DEEP],
        )
    plan = explain("fifo_group/fold", queue_id=DEEP, batch=LIMIT, now=None)
    assert plan.indexes("fifo_nudge") == {"fifo_nudge_of_queue", "fifo_nudge_pkey"}
    assert plan.rows_read("fifo_nudge") <= 2 * LIMIT


def deliverable(queue_id: int) -> Plan:
    """The ids of the tests are no queues, so a queue is made of one: the probe looks at live ones only."""
    Queue.objects.create(
        pk=queue_id, team=Team.objects.create(name="waiting"), name="waited-for", mode="fifo"
    )
    return explain("queue/deliverable", queue_ids=[queue_id], most=[LIMIT], now=None)


def test_deliverable_reads_no_more_than_there_are_waiters(queue_id):
    plan = deliverable(queue_id)
    assert plan.indexes("fifo_group") == {"fifo_group_due"}
    assert plan.rows_read("fifo_group") <= LIMIT
    assert plan.rows_read() <= 2 * LIMIT
    assert plan.rows_read("fifo_nudge") <= 1


@pytest.mark.parametrize(("queue_id", "groups"), [(DEEP, LIMIT), (BLOCKED, 3), (LEASED, 0), (EMPTY, 0)])
def test_deliverable_counts_no_blocked_group(filled, queue_id, groups):
    deliverable(queue_id)
    rows = Queue.objects.deliverable({queue_id: LIMIT})
    assert [row.messages for row in rows] == [groups] * bool(groups)
