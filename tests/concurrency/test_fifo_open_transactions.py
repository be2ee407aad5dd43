"""The line of a FIFO queue while somebody's transaction on it is still open.

Real connections: one has not committed yet, the other sees nothing of it, and must not wait, not overtake,
and not forget what is on its way.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from queues.models import FifoGroup, Message, Queue
from queues.operations import trash
from queues.operations.ack import ack
from queues.operations.dead_letters import requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send_many, send_one
from queues.values import Delivery, NewMessage, Stored
from tests.concurrency.together import in_a_hurry, uncommitted, waiting_for_a_lock
from tests.factories import data_of, reloaded


@pytest.fixture(params=[None, 100], ids=["unbounded", "bounded"])
def queue(request: pytest.FixtureRequest, make_queue: Callable[..., Queue]) -> Queue:
    return make_queue(mode="fifo", max_deliveries=1, queue_size=request.param)


def send(queue: Queue, *data: str) -> list[Stored]:
    return [send_one(queue, NewMessage(text, group_id=text[0])) for text in data]


def taken(queue: Queue, limit: int = 10) -> list[Delivery]:
    """What a consumer gets who will not wait for anybody."""
    with in_a_hurry():
        return receive(queue, limit)


class TestSending:
    def test_consumers_still_see_the_group(self, queue: Queue) -> None:
        """However many producers there are at a group, one after the other."""
        send(queue, "a1", "b1")
        with uncommitted(lambda: send(queue, "a2", "b2")):
            assert data_of(taken(queue)) == ["a1", "b1"]

    def test_producers_of_one_group_wait_for_each_other(self, queue: Queue) -> None:
        with uncommitted(lambda: send(queue, "a1")) as [first]:
            waiting = waiting_for_a_lock(lambda: send(queue, "a2"))
        [second] = waiting.result()
        assert first.sequence < second.sequence
        assert data_of(taken(queue)) == ["a1", "a2"]

    def test_producers_of_others_do_not(self, queue: Queue) -> None:
        with uncommitted(lambda: send(queue, "a1")), in_a_hurry():
            send(queue, "b1")
        assert sorted(data_of(taken(queue))) == ["a1", "b1"]

    def test_a_group_that_is_written_to_is_not_forgotten(self, queue: Queue) -> None:
        """It looks empty, and the producer has seen that it is known already."""
        [_] = send(queue, "a1")
        [delivery] = taken(queue)
        ack(queue, [delivery.receipt_handle])
        with uncommitted(lambda: send(queue, "a2")):
            assert taken(queue) == []
            assert FifoGroup.objects.exists()
        assert data_of(taken(queue)) == ["a2"]

    def test_one_that_is_just_forgotten_is_known_again(self, queue: Queue) -> None:
        send(queue, "a1")
        [delivery] = taken(queue)
        ack(queue, [delivery.receipt_handle])
        with uncommitted(lambda: receive(queue)) as found:
            assert found == []
            waiting = waiting_for_a_lock(lambda: send(queue, "a2"))
        waiting.result()
        assert data_of(taken(queue)) == ["a2"]


class TestReceiving:
    def test_nobody_overtakes_and_other_groups_go_on(self, queue: Queue) -> None:
        send(queue, "a1", "a2", "b1")
        with uncommitted(lambda: receive(queue, 1)) as held:
            assert data_of(held) == ["a1"]
            assert data_of(taken(queue)) == ["b1"]
        assert taken(queue) == []

    def test_it_holds_up_no_producer(self, queue: Queue) -> None:
        send(queue, "a1")
        with uncommitted(lambda: receive(queue, 1)), in_a_hurry():
            send(queue, "b1")

    def test_one_that_fails_gives_the_group_back(self, queue: Queue) -> None:
        send(queue, "a1")
        with uncommitted(lambda: (receive(queue, 1), transaction.set_rollback(True))):
            assert taken(queue) == []
        assert data_of(taken(queue)) == ["a1"]


class TestEndingALease:
    def test_the_group_goes_on_when_that_is_committed(self, queue: Queue) -> None:
        send(queue, "a1", "a2", "b1")
        [held] = receive(queue, 1)
        with uncommitted(lambda: ack(queue, [held.receipt_handle])):
            assert data_of(taken(queue)) == ["b1"]
        assert data_of(taken(queue)) == ["a2"]

    def test_when_both_that_held_it_end_at_once(self, queue: Queue) -> None:
        """Neither sees that the other has ended, too."""
        send(queue, "a1", "a2", "a3")
        first, second = receive(queue, 2)
        with uncommitted(lambda: ack(queue, [first.receipt_handle])):
            waiting = waiting_for_a_lock(lambda: ack(queue, [second.receipt_handle]))
        waiting.result()
        assert data_of(taken(queue)) == ["a3"]

    def test_when_it_dies_of_it(self, queue: Queue) -> None:
        send(queue, "a1", "a2")
        [held] = receive(queue, 1)
        with uncommitted(lambda: nack(queue, held.message_id, held.receipt_handle)):
            assert taken(queue) == []
        assert data_of(taken(queue)) == ["a2"]
        assert data_of(taken(reloaded(queue).dlq)) == ["a1"]


class TestFromAside:
    def test_nobody_overtakes_a_message_that_is_being_discarded(self, queue: Queue) -> None:
        first, *_ = send(queue, "a1", "a2", "b1")
        with uncommitted(lambda: trash.discard(queue, [first.message_id], by="ada")):
            assert data_of(taken(queue)) == ["b1"]
        assert data_of(taken(queue)) == ["a2"]

    def test_one_that_is_not_discarded_after_all_is_delivered_soon(self, queue: Queue) -> None:
        first, _ = send(queue, "a1", "a2")

        def fail() -> None:
            trash.discard(queue, [first.message_id], by="ada")
            transaction.set_rollback(True)

        with uncommitted(fail):
            assert taken(queue) == []
        assert data_of(receive(queue, 10, now=timezone.now() + timedelta(seconds=1))) == ["a1", "a2"]

    def test_a_dead_letter_comes_back_to_a_group_that_is_looked_at_meanwhile(self, queue: Queue) -> None:
        send(queue, "a1")
        [held] = receive(queue, 1)
        nack(queue, held.message_id, held.receipt_handle)
        dlq = reloaded(queue).dlq
        with uncommitted(lambda: requeue(dlq, held.message_id)):
            assert taken(queue) == []
            assert taken(dlq) == []
        assert data_of(taken(queue)) == ["a1"]
        assert not Message.objects.filter(queue_id=dlq.pk).exists()

    def test_what_waits_longest_is_restored_while_its_group_is_held(self, queue: Queue) -> None:
        """One lease at a time, though the one that comes back would have been first."""
        first, _ = send(queue, "a1", "a2")
        trash.discard(queue, [first.message_id], by="ada")
        with uncommitted(lambda: receive(queue, 1)) as held:
            assert data_of(held) == ["a2"]
            trash.restore(queue, [first.message_id])
        assert taken(queue) == []
        ack(queue, [held[0].receipt_handle])
        assert data_of(taken(queue)) == ["a1"]


def test_batches_to_many_groups_hold_each_other_up_in_order_only(queue: Queue) -> None:
    """Both want both groups, and name them the other way round."""
    with uncommitted(lambda: send_many(queue, [NewMessage(g, group_id=g) for g in "ab"])):
        waiting = waiting_for_a_lock(lambda: send_many(queue, [NewMessage(g, group_id=g) for g in "ba"]))
        also = waiting_for_a_lock(
            lambda: send_many(queue, [NewMessage(g, group_id=g) for g in "ab"]), others=1
        )
    assert len(waiting.result()) == len(also.result()) == 2
    lines = Message.objects.filter(queue_id=queue.pk)
    assert {group: lines.filter(group_id=group).count() for group in "ab"} == {"a": 3, "b": 3}
