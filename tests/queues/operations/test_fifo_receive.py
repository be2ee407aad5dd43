"""Receiving from a FIFO queue: a group in order, one lease at a time; other groups go on."""

import pytest

from queues.models import FifoGroup, Message
from queues.operations import queues
from queues.operations.ack import ack_by_id
from queues.operations.lease import change_visibility
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send_many, send_one
from queues.values import NewMessage
from tests.factories import NOW, after, fifo_queue, finished, line_up, received

pytestmark = pytest.mark.django_db


class TestReceive:
    def test_it_delivers_a_group_in_order(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2", "a3")
        assert received(queue) == ["a1", "a2", "a3"]

    def test_it_tells_the_place_in_the_line(self):
        queue = fifo_queue()
        [sent] = line_up(queue, "a1")
        [delivery] = receive(queue, now=NOW)
        assert (delivery.group_id, delivery.sequence) == ("a", sent.sequence)

    def test_while_one_of_a_group_is_leased_nobody_gets_another(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2", "b1")
        assert received(queue, 1) == ["a1"]
        assert received(queue) == ["b1"]
        assert received(queue) == []

    def test_it_takes_from_as_many_groups_as_it_needs(self):
        queue = fifo_queue()
        line_up(queue, *(f"{letter}1" for letter in "abcdefghijklmnopqrstuvwxyz"))
        assert len(received(queue, 20)) == 20
        assert len(received(queue, 20)) == 6

    def test_it_takes_one_group_for_one_message(self):
        queue = fifo_queue()
        line_up(queue, "a1", "b1", "c1")
        assert [received(queue, 1) for _ in range(4)] == [["a1"], ["b1"], ["c1"], []]

    def test_groups_take_turns(self):
        """One that was served goes behind those that wait, however long its own line is."""
        queue = fifo_queue()
        line_up(queue, "a1", "a2", now=NOW)
        line_up(queue, "b1", now=after(seconds=1))
        [delivery] = receive(queue, now=after(seconds=2))
        finished(queue, delivery, now=after(seconds=3))
        assert received(queue, 1, after(seconds=4)) == ["b1"]
        assert received(queue, 1, after(seconds=4)) == ["a2"]

    def test_a_paused_queue_delivers_nothing(self):
        queue = fifo_queue()
        line_up(queue, "a1")
        queues.pause(queue)
        assert received(queue) == []

    def test_the_delay_of_the_queue_holds_for_the_line(self):
        queue = fifo_queue(delay_seconds=60)
        line_up(queue, "a1", "a2")
        assert received(queue) == []
        assert received(queue, now=after(seconds=60)) == ["a1", "a2"]

    def test_a_delayed_one_is_not_overtaken(self):
        queue = fifo_queue(delay_seconds=60, visibility_timeout=600)
        line_up(queue, "a1")
        queue = queues.update(queue, delay_seconds=0)
        line_up(queue, "a2", "b1")
        assert received(queue) == ["b1"]
        assert received(queue, now=after(seconds=60)) == ["a1", "a2"]

    def test_it_looks_behind_expired_ones(self):
        queue = fifo_queue()
        send_one(queue, NewMessage("a1", group_id="a", ttl_seconds=1), NOW)
        line_up(queue, "a2")
        assert received(queue, now=after(seconds=2)) == ["a2"]
        assert not Message.objects.filter(data="a1").exists()

    def test_it_looks_behind_any_number_of_expired_ones(self):
        queue = fifo_queue()
        send_many(queue, [NewMessage("old", group_id="a", ttl_seconds=1)] * 50, NOW)
        line_up(queue, "a2")
        while not (found := received(queue, now=after(seconds=2))):
            assert Message.objects.filter(data="old").exists()
        assert found == ["a2"]


class TestEndOfALease:
    def test_after_an_ack_the_group_goes_on(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        finished(queue, delivery)
        assert received(queue) == ["a2"]

    def test_only_when_all_of_its_messages_are_done(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2", "a3")
        first, second = receive(queue, 2, now=NOW)
        finished(queue, second)
        assert received(queue) == []
        finished(queue, first)
        assert received(queue) == ["a3"]

    def test_an_ack_by_id_will_do(self):
        queue = fifo_queue()
        first, _ = line_up(queue, "a1", "a2")
        receive(queue, now=NOW)
        ack_by_id(queue, first.message_id, now=NOW)
        assert received(queue) == ["a2"]

    def test_a_returned_message_comes_before_later_ones(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        assert received(queue) == ["a1", "a2"]

    def test_the_group_waits_with_a_message_that_backs_off(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, delay_seconds=60, now=NOW)
        assert received(queue, now=after(seconds=59)) == []
        assert received(queue, now=after(seconds=60)) == ["a1", "a2"]

    def test_what_is_before_it_can_be_delivered(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2", "a3")
        first, second = receive(queue, 2, now=NOW)
        nack(queue, second.message_id, second.receipt_handle, delay_seconds=60, now=NOW)
        nack(queue, first.message_id, first.receipt_handle, now=NOW)
        assert received(queue) == ["a1"]

    def test_a_lease_that_runs_out_lets_the_group_go_on(self):
        queue = fifo_queue(visibility_timeout=30)
        line_up(queue, "a1", "a2")
        assert received(queue, 1) == ["a1"]
        assert received(queue, now=after(seconds=29)) == []
        assert received(queue, now=after(seconds=30)) == ["a1", "a2"]

    def test_so_it_does_in_a_queue_with_backoff_when_that_is_over(self):
        queue = fifo_queue(visibility_timeout=30, backoff={"base_seconds": 10})
        line_up(queue, "a1", "a2")
        assert received(queue, 1) == ["a1"]
        assert received(queue, now=after(seconds=39)) == []
        assert received(queue, now=after(seconds=40)) == ["a1", "a2"]

    def test_a_released_message_comes_first_again(self):
        queue = fifo_queue()
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        change_visibility(queue, delivery.message_id, delivery.receipt_handle, 0, NOW)
        assert received(queue) == ["a1", "a2"]

    def test_a_lease_that_is_made_longer_holds_the_group_longer(self):
        queue = fifo_queue(visibility_timeout=30)
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        change_visibility(queue, delivery.message_id, delivery.receipt_handle, 60, after(seconds=20))
        assert received(queue, now=after(seconds=79)) == []
        assert received(queue, now=after(seconds=80)) == ["a1", "a2"]

    def test_a_lease_that_is_made_shorter_holds_the_group_no_longer(self):
        queue = fifo_queue(visibility_timeout=30)
        line_up(queue, "a1", "a2")
        [delivery] = receive(queue, now=NOW)
        change_visibility(queue, delivery.message_id, delivery.receipt_handle, 5, after(seconds=1))
        assert received(queue, now=after(seconds=5)) == []
        assert received(queue, now=after(seconds=6)) == ["a1", "a2"]

    def test_a_group_without_messages_is_forgotten(self):
        queue = fifo_queue()
        line_up(queue, "a1")
        [delivery] = receive(queue, now=NOW)
        finished(queue, delivery)
        assert received(queue) == []
        assert not FifoGroup.objects.exists()
        line_up(queue, "a2")
        assert received(queue) == ["a2"]
