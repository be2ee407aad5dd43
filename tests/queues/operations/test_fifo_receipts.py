"""Receipts of a FIFO queue: a lease that is over is over, even if nobody received the message again."""

import pytest

from queues.errors import (
    LeaseOver,
    MessageNotFound,
    ReceiptStale,
)
from queues.models import Message, Queue
from queues.operations.ack import ack, ack_by_id
from queues.operations.lease import change_visibility
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send_one
from queues.values import Delivery, NewMessage
from tests.factories import NOW, after, fifo_queue, finished, line_up, new_queue

pytestmark = pytest.mark.django_db


class TestReceipts:
    """On a FIFO queue a lease that is over is over, even if nobody received the message again."""

    @pytest.fixture
    def queue(self) -> Queue:
        queue = fifo_queue(visibility_timeout=30)
        line_up(queue, "a1")
        return queue

    @pytest.fixture
    def late(self, queue: Queue) -> Delivery:
        [delivery] = receive(queue, now=NOW)
        return delivery

    def test_it_takes_no_late_ack(self, queue, late):
        [result] = ack(queue, [late.receipt_handle], after(seconds=30))
        assert isinstance(result.error, LeaseOver)
        with pytest.raises(ReceiptStale):
            ack_by_id(queue, late.message_id, late.receipt_handle, after(seconds=30))
        assert Message.objects.filter(id=late.id).exists()

    def test_it_takes_no_late_nack(self, queue, late):
        with pytest.raises(LeaseOver):
            nack(queue, late.message_id, late.receipt_handle, now=after(seconds=30))

    def test_a_lease_that_ran_out_does_not_begin_again(self, queue, late):
        with pytest.raises(LeaseOver):
            change_visibility(queue, late.message_id, late.receipt_handle, 30, after(seconds=30))

    def test_a_released_message_is_nobodys(self, queue, late):
        change_visibility(queue, late.message_id, late.receipt_handle, 0, NOW)
        [result] = ack(queue, [late.receipt_handle], NOW)
        assert isinstance(result.error, LeaseOver)

    def test_in_time_they_work(self, queue, late):
        change_visibility(queue, late.message_id, late.receipt_handle, 30, after(seconds=29))
        finished(queue, late, now=after(seconds=58))

    def test_a_message_that_is_gone_is_not_found(self, queue, late):
        finished(queue, late)
        with pytest.raises(MessageNotFound):
            nack(queue, late.message_id, late.receipt_handle, now=NOW)
        [result] = ack(queue, [late.receipt_handle], NOW)
        assert isinstance(result.error, MessageNotFound)

    def test_on_a_standard_queue_a_late_ack_works(self):
        queue = new_queue(visibility_timeout=30)
        send_one(queue, NewMessage("x"), NOW)
        [delivery] = receive(queue, now=NOW)
        finished(queue, delivery, now=after(seconds=31))
