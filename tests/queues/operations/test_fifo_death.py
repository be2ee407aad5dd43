"""Dead letters of a FIFO queue: the group goes on behind them, and they stay in order."""

import pytest

from queues.maintenance import bury, promote
from queues.models import FifoGroup, Message, State
from queues.operations import queues
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import NOW, after, data_of, fifo_queue, finished, line_up, new_queue, received, reloaded

pytestmark = pytest.mark.django_db


class TestDeath:
    def test_the_group_goes_on_behind_a_dead_letter(self):
        queue = fifo_queue(max_deliveries=1)
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        dead = nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        assert dead.dead_lettered_to == reloaded(queue).dlq
        assert received(queue) == ["a2"]

    def test_so_it_does_when_the_lease_ran_out(self):
        queue = fifo_queue(max_deliveries=1, visibility_timeout=30)
        line_up(queue, "a1", "a2")
        receive(queue, now=NOW)
        assert received(queue, now=after(seconds=30)) == ["a2"]

    def test_so_it_does_when_maintenance_found_out(self):
        queue = fifo_queue(max_deliveries=1, visibility_timeout=30)
        line_up(queue, "a1", "a2")
        receive(queue, now=NOW)
        promote.run_once(100, after(seconds=30))
        bury.run_once(100, after(seconds=30))
        assert received(queue, now=after(seconds=30)) == ["a2"]
        assert data_of(receive(reloaded(queue).dlq, now=after(seconds=30))) == ["a1"]

    def test_so_it_does_when_fewer_deliveries_are_allowed(self):
        queue = fifo_queue(visibility_timeout=0)
        line_up(queue, "a1", "a2")
        assert received(queue, 1) == ["a1"]
        queue = queues.update(queue, max_deliveries=1)
        assert received(queue) == ["a2"]

    def test_the_dead_letter_queue_is_in_order_too(self):
        queue = fifo_queue(name="orders.fifo", max_deliveries=1, visibility_timeout=30)
        sent = line_up(queue, "a1", "a2", "b1")
        deliveries = receive(queue, 10, now=NOW)
        for delivery in reversed(deliveries):
            nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        dlq = reloaded(queue).dlq
        assert (dlq.mode, dlq.name) == ("fifo", "orders-dlq.fifo")
        assert [d.sequence for d in sorted(receive(dlq, 3, now=NOW), key=lambda d: d.data)] == [
            stored.sequence for stored in sent
        ]
        assert received(dlq) == []

    def test_in_a_dead_letter_queue_one_lease_holds_a_group_up(self):
        queue = fifo_queue(max_deliveries=1, visibility_timeout=30)
        line_up(queue, "a1", "a2")
        for delivery in receive(queue, 2, now=NOW):
            nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        dlq = reloaded(queue).dlq
        [delivery] = receive(dlq, 1, now=NOW)
        assert delivery.data == "a1"
        assert received(dlq) == []
        finished(dlq, delivery)
        assert received(dlq) == ["a2"]

    def test_one_that_waits_for_room_among_the_dead_holds_nobody_up(self):
        dlq = fifo_queue(queue_size=1)
        queue = new_queue(dlq.team, mode="fifo", max_deliveries=1, dlq=dlq)
        line_up(queue, "a1", "a2", "a3")
        for expected in ("a1", "a2"):
            [delivery] = receive(queue, now=NOW)
            assert delivery.data == expected
            nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        assert Message.objects.get(data="a2").state == State.EXHAUSTED
        assert received(queue) == ["a3"]

    def test_one_that_need_not_die_any_more_is_delivered(self):
        """The queue has become a dead-letter queue: its messages never die."""
        full = fifo_queue(queue_size=1)
        queue = new_queue(full.team, mode="fifo", max_deliveries=1, dlq=full)
        line_up(full, "z1")
        line_up(queue, "a1")
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        assert received(queue) == []
        assert not FifoGroup.objects.filter(queue_id=queue.pk).exists()
        new_queue(full.team, mode="fifo", dlq=queues.update(queue, dlq=None))
        bury.run_once(100, NOW)
        assert received(reloaded(queue)) == ["a1"]
