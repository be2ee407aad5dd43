"""What a probe calls deliverable. Time is passed in."""

from typing import Any

import pytest

from queues.models import Queue
from queues.operations import queues, trash
from queues.operations.ack import ack
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import (
    NOW,
    after,
    fifo_queue,
    in_flight_message,
    line_up,
    new_queue,
    ready_message,
    ready_messages,
)

pytestmark = pytest.mark.django_db


def deliverable(queue: Queue, waiters: int = 10, now: Any = NOW) -> list[tuple[bool, int]]:
    return [(row.deleted, row.messages) for row in Queue.objects.deliverable({queue.pk: waiters}, now)]


def test_it_finds_ready_messages() -> None:
    queue = new_queue()
    ready_messages(queue, "a", "b", "c")
    assert deliverable(queue) == [(False, 3)]


def test_it_counts_no_further_than_there_are_waiters() -> None:
    queue = new_queue()
    ready_messages(queue, "a", "b", "c")
    assert deliverable(queue, waiters=2) == [(False, 2)]


def test_it_says_nothing_of_an_empty_queue() -> None:
    assert deliverable(new_queue()) == []


def test_it_finds_a_delayed_message_when_its_time_has_come() -> None:
    queue = new_queue()
    ready_message(queue, delay_seconds=60)
    assert deliverable(queue, now=after(seconds=59)) == []
    assert deliverable(queue, now=after(seconds=60)) == [(False, 1)]


def test_it_finds_a_leased_message_when_its_lease_is_over() -> None:
    queue = new_queue()
    in_flight_message(queue)
    assert deliverable(queue, now=after(seconds=29)) == []
    assert deliverable(queue, now=after(seconds=30)) == [(False, 1)]


def test_it_says_nothing_of_a_paused_queue() -> None:
    queue = new_queue()
    ready_message(queue)
    queues.pause(queue)
    assert deliverable(queue) == []


def test_it_says_that_a_queue_is_deleted() -> None:
    queue = new_queue()
    queues.delete(queue)
    assert deliverable(queue) == [(True, 0)]


def test_it_says_that_a_queue_is_gone_for_good() -> None:
    assert deliverable(Queue(pk=404)) == [(True, 0)]


def test_it_looks_at_many_queues_at_once() -> None:
    full, empty, other = new_queue(), new_queue(), new_queue()
    ready_messages(full, "a", "b")
    ready_messages(other, "c")
    rows = Queue.objects.deliverable({full.pk: 5, empty.pk: 5, other.pk: 5}, NOW)
    assert {row.queue_id: row.messages for row in rows} == {full.pk: 2, other.pk: 1}


def test_it_asks_nothing_when_nobody_waits(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert Queue.objects.deliverable({}) == []


class TestFifo:
    """Groups are counted, those only that somebody could be given."""

    def test_it_finds_groups(self) -> None:
        queue = fifo_queue()
        line_up(queue, "a1", "a2", "b1")
        assert deliverable(queue) == [(False, 2)]
        assert deliverable(queue, waiters=1) == [(False, 1)]

    def test_it_says_nothing_of_a_group_that_somebody_holds(self) -> None:
        queue = fifo_queue()
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        assert deliverable(queue) == []
        assert deliverable(queue, now=after(seconds=30)) == [(False, 1)]
        ack(queue, [delivery.receipt_handle], NOW)
        assert deliverable(queue) == [(False, 1)]

    def test_it_says_nothing_of_a_group_whose_first_is_not_due(self) -> None:
        queue = fifo_queue(delay_seconds=60)
        line_up(queue, "a1")
        line_up(queues.update(queue, delay_seconds=0), "a2")
        assert deliverable(queue, now=after(seconds=59)) == []
        assert deliverable(queue, now=after(seconds=60)) == [(False, 1)]

    def test_it_finds_a_group_that_somebody_has_freed_from_aside(self) -> None:
        queue = fifo_queue()
        first, _ = line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, delay_seconds=60, now=NOW)
        assert receive(queue, now=NOW) == []
        assert deliverable(queue) == []
        trash.discard(queue, [first.message_id], by="ada", now=NOW)
        assert deliverable(queue) == [(False, 1)]

    def test_it_says_nothing_of_a_paused_queue(self) -> None:
        queue = fifo_queue()
        line_up(queue, "a1")
        queues.pause(queue)
        assert deliverable(queue) == []
