"""What people and maintenance do to the line of a FIFO queue: it goes on, and who comes back has a place."""

import pytest

from queues.maintenance import deleted_queues, expire, fifo_nudges
from queues.models import FifoGroup, FifoNudge, Message, Queue
from queues.operations import queues, redrive, redrive_run, trash
from queues.operations.ack import ack, ack_by_id
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.edit import edit_and_requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send_one
from queues.operations.why import why_not_delivered
from queues.values import NewMessage
from tests.factories import (
    NOW,
    after,
    fifo_queue,
    line_up,
    new_queue,
    ready_message,
    received,
    reloaded,
)

pytestmark = pytest.mark.django_db


class TestRemoval:
    """Nobody waits on for a message that is gone."""

    @pytest.fixture
    def queue(self) -> Queue:
        """Its first message backs off for an hour."""
        queue = fifo_queue()
        send_one(queue, NewMessage("a1", group_id="a", ttl_seconds=60), NOW)
        line_up(queue, "a2")
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, delay_seconds=3600, now=NOW)
        assert received(queue) == []
        return queue

    def test_expired(self, queue):
        expire.run_once(100, after(seconds=61))
        assert received(queue, now=after(seconds=61)) == ["a2"]

    def test_discarded(self, queue):
        trash.discard(queue, [Message.objects.get(data="a1").public_id], by="ada", now=NOW)
        assert received(queue) == ["a2"]

    def test_acked_by_its_id(self, queue):
        ack_by_id(queue, Message.objects.get(data="a1").public_id, now=NOW)
        assert received(queue) == ["a2"]

    def test_purged(self, queue):
        queues.purge(queue)
        line_up(queue, "a3")
        assert received(queue) == ["a3"]

    def test_deleted_with_the_queue(self, queue):

        queues.delete(queue)
        deleted_queues.run_once(100)
        deleted_queues.run_once(100, after(days=1))
        assert not Queue.objects.filter(pk=queue.pk).exists()
        assert not FifoGroup.objects.exists()
        assert not FifoNudge.objects.exists()

    def test_maintenance_takes_in_what_nobody_polls_for(self, queue):
        expire.run_once(100, after(seconds=61))
        assert FifoNudge.objects.exists()
        assert fifo_nudges.run_once(100, after(seconds=61)) == 1
        assert not FifoNudge.objects.exists()
        assert fifo_nudges.run_once(100) == 0
        assert received(queue, now=after(seconds=61)) == ["a2"]


class TestReturn:
    """Who comes back stands in the line where he stood, before those who came after him."""

    @pytest.fixture
    def queue(self) -> Queue:
        """Its first message is dead, the second backs off for an hour, the third waits behind it."""
        queue = fifo_queue(max_deliveries=None, visibility_timeout=60, allow_edit=True)
        line_up(queue, "a1", max_deliveries=1)
        line_up(queue, "a2", "a3")
        first, second = receive(queue, 2, now=NOW)
        nack(queue, second.message_id, second.receipt_handle, delay_seconds=3600, now=NOW)
        nack(queue, first.message_id, first.receipt_handle, now=NOW)
        assert received(queue) == []
        return reloaded(queue)

    @pytest.fixture
    def dead(self, queue: Queue) -> Message:
        return Message.objects.get(queue_id=queue.dlq_id)

    def test_requeued(self, queue, dead):
        requeue(queue.dlq, dead.public_id, NOW)
        assert received(queue) == ["a1"]
        assert Message.objects.get(id=dead.id).sequence == dead.sequence

    def test_requeued_into_a_group_that_was_forgotten(self, queue, dead):
        queues.purge(queue)
        assert received(queue) == []
        assert not FifoGroup.objects.filter(queue_id=queue.pk).exists()
        requeue(queue.dlq, dead.public_id, after(seconds=1))
        assert received(queue, now=after(seconds=1)) == ["a1"]

    def test_pulled_back_again(self, queue, dead):
        requeue(queue.dlq, dead.public_id, NOW)
        undo_requeue(queue.dlq, dead.public_id, NOW)
        assert received(queue) == []
        assert received(queue.dlq) == ["a1"]

    def test_redriven_and_pulled_back(self, queue, dead):
        task = redrive.start(queue.dlq, now=after(seconds=1))
        redrive_run.advance(task.pk, 100, after(seconds=1))
        assert received(queue.dlq, now=after(seconds=1)) == []
        assert redrive.undo(task, after(seconds=1)) == 1
        assert received(queue, now=after(seconds=1)) == []
        assert received(queue.dlq, now=after(seconds=1)) == ["a1"]

    def test_redriven(self, queue, dead):
        task = redrive.start(queue.dlq, now=after(seconds=1))
        redrive_run.advance(task.pk, 100, after(seconds=1))
        assert received(queue, now=after(seconds=1)) == ["a1"]

    def test_redriven_into_another_queue(self, queue, dead):
        other = fifo_queue(queue.team)
        line_up(other, "a9")
        task = redrive.start(queue.dlq, target=other, now=after(seconds=1))
        redrive_run.advance(task.pk, 100, after(seconds=1))
        assert received(other, now=after(seconds=1)) == ["a1", "a9"]

    def test_restored(self, queue):
        waiting = Message.objects.get(data="a3").public_id
        trash.discard(queue, [waiting], by="ada", now=NOW)
        line_up(queue, "a4")
        trash.restore(queue, [waiting], NOW)
        ack_by_id(queue, Message.objects.get(data="a2").public_id, now=NOW)
        assert received(queue) == ["a3", "a4"]

    def test_restored_before_one_that_backs_off(self, queue, dead):
        trash.discard(queue.dlq, [dead.public_id], by="ada", now=NOW)
        assert received(queue.dlq) == []
        trash.restore(queue.dlq, [dead.public_id], NOW)
        assert received(queue.dlq) == ["a1"]

    def test_edited(self, queue, dead):
        edit_and_requeue(queue.dlq, dead.public_id, data="a1 as it should be", by="ada", now=NOW)
        assert received(queue) == ["a1 as it should be"]
        assert received(queue.dlq) == []

    def test_whoever_holds_one_of_the_group_is_not_disturbed(self, queue, dead):
        """One lease at a time, even for one that comes back and would be first."""
        [held] = receive(queue, 1, now=after(hours=1))
        assert held.data == "a2"
        requeue(queue.dlq, dead.public_id, after(hours=1))
        assert received(queue, now=after(hours=1)) == []
        ack(queue, [held.receipt_handle], after(hours=1))
        assert received(queue, now=after(hours=1)) == ["a1", "a3"]


class TestLeavingTheDead:
    """The same for the line of a dead-letter queue, when somebody takes out what the others wait for."""

    @pytest.fixture
    def dlq(self) -> Queue:
        queue = fifo_queue(max_deliveries=1)
        line_up(queue, "a1", "a2")
        for delivery in receive(queue, 2, now=NOW):
            nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        dlq = reloaded(queue).dlq
        [first] = receive(dlq, 1, now=NOW)
        nack(dlq, first.message_id, first.receipt_handle, delay_seconds=3600, now=NOW)
        assert received(dlq) == []
        return dlq

    def test_requeued(self, dlq):
        requeue(dlq, Message.objects.get(data="a1").public_id, NOW)
        assert received(dlq) == ["a2"]

    def test_redriven(self, dlq):
        task = redrive.start(dlq, limit=1, now=NOW)
        redrive_run.advance(task.pk, 100, NOW)
        assert received(dlq) == ["a2"]

    def test_edited(self, dlq):
        first = Message.objects.get(data="a1")
        Queue.objects.filter(pk=first.source_queue_id).update(allow_edit=True)
        edit_and_requeue(dlq, first.public_id, data="better", by="ada", now=NOW)
        assert received(dlq) == ["a2"]


class TestWhy:
    def why(self, queue: Queue, data: str, now=NOW):
        return why_not_delivered(reloaded(queue), Message.objects.get(data=data), now)

    def test_it_names_the_message_that_a_consumer_holds(self):
        queue = fifo_queue(visibility_timeout=30)
        first, *_ = line_up(queue, "a1", "a2", "b1")
        receive(queue, now=NOW)
        reason = self.why(queue, "a2")
        assert (reason.code, reason.until) == ("group_blocked", after(seconds=30))
        assert first.message_id in reason.detail
        assert self.why(queue, "a1").code == "leased"
        assert self.why(queue, "b1") is None
        assert self.why(queue, "a2", after(seconds=30)) is None

    def test_it_names_the_message_before_it_that_is_not_due(self):
        queue = fifo_queue()
        first, *_ = line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, delay_seconds=60, now=NOW)
        reason = self.why(queue, "a2")
        assert (reason.code, reason.until) == ("group_blocked", after(seconds=60))
        assert first.message_id in reason.detail
        assert self.why(queue, "a1").code == "delayed"

    def test_one_behind_it_is_nothing_to_wait_for(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2")
        _, second = receive(queue, 2, now=NOW)
        nack(queue, second.message_id, second.receipt_handle, delay_seconds=60, now=NOW)
        ack_by_id(queue, Message.objects.get(data="a1").public_id, now=NOW)
        line_up(queue, "a3")
        assert self.why(queue, "a3").code == "group_blocked"
        assert self.why(queue, "a2").code == "delayed"

    def test_on_a_standard_queue_nobody_waits_for_others(self):
        queue = new_queue()
        ready_message(queue, "one", group_id="a")
        ready_message(queue, "two", group_id="a")
        receive(queue, now=NOW)
        assert self.why(queue, "two") is None
