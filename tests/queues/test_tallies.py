from collections import Counter, defaultdict

import pytest
from django.db import DatabaseError

from queues import tallies
from queues.maintenance.tallies import ACTIVITY_KEPT
from queues.models import QueueActivity, QueueTally, QueueTallyDelta
from tests.factories import NOW, after, new_queue

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(tallies, "_pending", defaultdict(Counter))


@pytest.fixture
def never_by_itself(monkeypatch):
    monkeypatch.setattr(tallies, "FLUSH_SECONDS", float("inf"))


def note(queue, event, count, **facts):
    tallies.note(event, {"queue": queue, "count": count, **facts})


def activity(queue):
    row = QueueActivity.objects.since(queue.pk, after(days=-1))
    return {name: count for name, count in row._asdict().items() if count}


def test_it_adds_up_what_enters_and_leaves(never_by_itself):
    queue = new_queue()
    note(queue, "message.sent", 10)
    note(queue, "message.finished", 3, outcome="acked")
    note(queue, "message.moved_out", 2, outcome="dead_lettered")
    assert QueueTally.objects.estimate(queue.pk) == 0
    tallies.flush()
    assert QueueTally.objects.estimate(queue.pk) == 5


def test_it_counts_what_happened_by_its_kind(never_by_itself):
    queue, dlq = new_queue(), new_queue()
    note(queue, "message.sent", 10)
    note(queue, "message.received", 6)
    note(queue, "message.nacked", 4)
    note(queue, "message.finished", 3, outcome="acked")
    note(queue, "message.finished", 1, outcome="expired")
    note(queue, "message.moved_out", 2, outcome="dead_lettered")
    note(dlq, "message.moved_in", 2, outcome="dead_lettered")
    tallies.flush()
    assert activity(queue) == {"sent": 10, "received": 6, "acked": 3, "expired": 1, "dead_lettered": 2}
    assert QueueTallyDelta.objects.get(queue_id=queue.pk).nacked == 4
    assert activity(dlq) == {}


def test_folding_changes_neither_totals_nor_activity(never_by_itself):
    queue = new_queue()
    note(queue, "message.sent", 10)
    tallies.flush()
    QueueTally.objects.fold(100)
    assert (QueueTally.objects.estimate(queue.pk), activity(queue)) == (10, {"sent": 10})


def test_old_activity_is_forgotten():
    queue = new_queue()
    QueueActivity.objects.create(queue_id=queue.pk, bucket=after(days=-2), sent=1)
    QueueActivity.objects.create(queue_id=queue.pk, bucket=after(hours=-2), sent=1)
    assert QueueActivity.objects.prune(NOW, ACTIVITY_KEPT) == 1


def test_it_writes_by_itself_after_a_while(monkeypatch):
    monkeypatch.setattr(tallies, "FLUSH_SECONDS", 0)
    queue = new_queue()
    note(queue, "message.sent", 4)
    assert QueueTally.objects.estimate(queue.pk) == 4


def test_it_keeps_what_it_could_not_write(never_by_itself, monkeypatch):
    def away(sums):
        raise DatabaseError("away")

    queue = new_queue()
    note(queue, "message.sent", 4)
    with monkeypatch.context() as broken:
        broken.setattr(QueueTally.objects, "append", away)
        tallies.flush()
    tallies.flush()
    assert QueueTally.objects.estimate(queue.pk) == 4
