"""What publishing reads: the slots and subscriptions of its own queues, however many others there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues.managers.queue_slot import SLOTS
from queues.models import QueueSlot
from queues.operations import topics
from queues.operations.publish import publish
from queues.values import NewMessage
from tests.factories import new_queue, new_topic
from tests.queues.sql.explained import explain, explain_text

pytestmark = pytest.mark.django_db

QUEUES = 20


@pytest.fixture
def topic():
    """With some bounded queues, among thousands of slots of others; never analysed."""
    topic = new_topic()
    for _ in range(QUEUES):
        topics.subscribe(topic, new_queue(topic.team, queue_size=100))
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO queue_slot (queue_id, free) SELECT 900000 + n, 1 FROM generate_series(1, 20000) n"
        )
    return topic


def queue_ids(topic):
    return [subscription.queue_id for subscription in topics.subscriptions_of(topic)]


def test_places_are_taken_in_the_first_slots(topic):
    plan = explain("queue_slot/take_each", queue_ids=queue_ids(topic))
    assert plan.indexes("queue_slot") <= {"queue_slot_of_queue", "queue_slot_pkey"}  # either finds one row
    # Summed up, looked through for one that owes, the first one taken and changed.
    assert plan.rows_read("queue_slot") <= QUEUES * (2 * SLOTS + 2)


def test_all_slots_are_locked_by_their_index(topic):
    plan = explain("queue_slot/lock", queue_ids=queue_ids(topic))
    assert plan.indexes("queue_slot") == {"queue_slot_of_queue"}
    assert plan.rows_read("queue_slot") == QUEUES * SLOTS


def test_they_are_locked_in_the_order_of_the_queues(topic):
    """Whatever order they are asked for in: the lock comes after the sort, if there is one."""
    queues = [subscription.queue for subscription in topics.subscriptions_of(topic).order_by("-queue_id")]
    slots = QueueSlot.objects.lock(*queues)
    assert [slot.id for slot in slots] == sorted(slot.id for slot in slots)
    kinds = [node["Node Type"] for node in explain("queue_slot/lock", queue_ids=queue_ids(topic)).nodes]
    assert kinds[0] == "LockRows"


@pytest.fixture(params=["never analysed", "analysed before", "analysed after"])
def crowd(topic, request):
    """A thousand other topics with the same queues, of which the statistics may not know."""
    with connection.cursor() as cursor:
        if request.param == "analysed before":
            cursor.execute("ANALYZE subscription, queue, topic")
        cursor.execute(
            """INSERT INTO topic (uid, team_id, name, created_at)
               SELECT gen_random_uuid(), %s, 'other-' || n, now() FROM generate_series(1, 1000) n""",
            [topic.team_id],
        )
        cursor.execute(
            """INSERT INTO subscription (uid, topic_id, queue_id, created_at)
               SELECT gen_random_uuid(), topic.id, queue.id, now() FROM topic CROSS JOIN queue
                WHERE topic.id <> %s ORDER BY random()""",
            [topic.pk],
        )
        if request.param == "analysed after":
            cursor.execute("ANALYZE subscription, queue, topic")


def test_publishing_reads_the_subscriptions_of_its_topic_only(topic, crowd):
    with CaptureQueriesContext(connection) as caught:
        publish(topic, NewMessage("x"))
    plans = [explain_text(each["sql"]) for each in caught if each["sql"].startswith("SELECT")]
    for table in ("subscription", "queue"):
        assert sum(plan.rows_read(table) for plan in plans) == QUEUES
