import pytest
from django.db import DatabaseError

from queues import tallies
from queues.models import QueueTally
from tests.factories import new_queue

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(tallies, "_pending", type(tallies._pending)())


@pytest.fixture
def never_by_itself(monkeypatch):
    monkeypatch.setattr(tallies, "FLUSH_SECONDS", float("inf"))


def test_it_adds_up_what_enters_and_leaves(never_by_itself):
    queue = new_queue()
    for event, count in [("message.sent", 10), ("message.finished", 3), ("message.moved_out", 2)]:
        tallies.note(event, {"queue": queue, "count": count})
    assert QueueTally.objects.estimate(queue.pk) == 0
    tallies.flush()
    assert QueueTally.objects.estimate(queue.pk) == 5


def test_it_writes_by_itself_after_a_while(monkeypatch):
    monkeypatch.setattr(tallies, "FLUSH_SECONDS", 0)
    queue = new_queue()
    tallies.note("message.sent", {"queue": queue, "count": 4})
    assert QueueTally.objects.estimate(queue.pk) == 4


def test_it_leaves_bounded_queues_to_their_slots(never_by_itself):
    queue = new_queue(queue_size=10)
    tallies.note("message.sent", {"queue": queue, "count": 4})
    tallies.flush()
    assert QueueTally.objects.estimate(queue.pk) == 0


def test_it_keeps_what_it_could_not_write(never_by_itself, monkeypatch):
    queue = new_queue()
    tallies.note("message.sent", {"queue": queue, "count": 4})
    with monkeypatch.context() as broken:
        broken.setattr(
            QueueTally.objects, "append", lambda deltas: (_ for _ in ()).throw(DatabaseError("away"))
        )
        tallies.flush()
    tallies.flush()
    assert QueueTally.objects.estimate(queue.pk) == 4
