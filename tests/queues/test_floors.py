"""Floors are hints: what they do when measuring is costly, and that nothing hides below them for long."""

from datetime import timedelta

import pytest

from queues.managers import floors
from queues.models import Message
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage
from tests.factories import data_of, new_queue

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forgetful():
    floors.clear()
    yield
    floors.clear()


@pytest.fixture
def costly(monkeypatch):
    """Every look at the head counts as costly, so that floors are in use."""
    monkeypatch.setattr(floors, "COSTLY", timedelta(-1))


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 1000.0

        def monotonic(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr(floors, "time", clock)
    return clock


def send_all(queue, *data):
    return [send(queue, NewMessage(text)) for text in data]


def test_there_is_none_while_the_head_is_cheap_to_find():
    queue = new_queue()
    send_all(queue, "a")
    assert floors.ready(queue.pk) is None


def test_it_is_the_oldest_ready_message_over_all_priorities(costly):
    queue = new_queue()
    oldest = send(queue, NewMessage("old", priority=-3))
    send(queue, NewMessage("new", priority=5))
    assert floors.ready(queue.pk) == oldest


def test_it_is_measured_once_a_second(costly, clock):
    queue = new_queue()
    first, second = send_all(queue, "a", "b")
    assert floors.ready(queue.pk) == first
    Message.objects.filter(id=first).delete()
    assert floors.ready(queue.pk) == first
    clock.now += floors.REFRESH_SECONDS
    assert floors.ready(queue.pk) == second


def test_a_message_that_appears_below_it_is_found_at_the_next_measurement(costly, clock):
    queue = new_queue()
    late, soon = send_all(queue, "late", "soon")
    Message.objects.filter(id=late).update(state="exhausted")  # stands for a commit that is not there yet
    assert floors.ready(queue.pk) == soon
    Message.objects.filter(id=late).update(state="ready")
    assert data_of(receive(queue, limit=2)) == ["soon"]
    clock.now += floors.REFRESH_SECONDS
    assert data_of(receive(queue, limit=2)) == ["late"]


def test_it_is_lowered_when_a_lease_comes_back(costly, clock):
    queue = new_queue()
    send_all(queue, "a", "b")
    receive(queue, visibility_timeout=0)
    assert data_of(receive(queue)) == ["a"]


def test_higher_priorities_are_above_it(costly, clock):
    queue = new_queue()
    send_all(queue, "normal", "normal")
    receive(queue)
    send(queue, NewMessage("urgent", priority=9))
    assert data_of(receive(queue)) == ["urgent"]


def test_it_is_not_used_with_more_ranks_than_it_can_look_at(costly, monkeypatch):
    monkeypatch.setattr(floors, "MANY_RANKS", 2)
    queue = new_queue()
    for priority in range(3):
        send(queue, NewMessage("x", priority=priority))
    assert floors.ready(queue.pk) is None


def test_parked_messages_have_one_of_time(costly, clock):
    queue = new_queue()
    send(queue, NewMessage("x", delay_seconds=60))
    assert floors.parked(queue.pk) is None
    receive(queue)
    assert floors.parked(queue.pk) is not None
    clock.now += floors.REFRESH_SECONDS
    assert floors.parked(queue.pk) is None


def test_there_is_no_parked_floor_while_more_is_due_than_one_pass_takes(costly, clock):
    queue = new_queue()
    for _ in range(3):
        send(queue, NewMessage("x"))
    receive(queue, limit=3, visibility_timeout=0)
    clock.now += floors.REFRESH_SECONDS
    Message.objects.promote(queue, 2, None)
    assert floors.parked(queue.pk) is None
