"""A queue is resized while its places are fought over; once maintenance has counted, they add up again.

Real threads with real connections: the sends under way are what makes a resize difficult.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from queues.maintenance import slots
from queues.models import Queue, QueueSlot
from queues.operations import queues
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.concurrency.ledger import places
from tests.concurrency.together import at_once, uncommitted, waiting_for_a_lock


@pytest.fixture
def queue(make_queue: Callable[..., Queue]) -> Queue:
    return make_queue(queue_size=60)


def current(queue: Queue) -> Queue:
    """As a door reads it at the start of each request."""
    return Queue.objects.get(pk=queue.pk)


def produce(queue: Queue) -> None:
    for count in (1, 1, 20, 1, 9):
        send_many(current(queue), [NewMessage("hello")] * count)


def consume(queue: Queue) -> None:
    for count in (1, 20, 1):
        deliveries = receive(current(queue), count)
        if deliveries:
            ack(current(queue), [delivery.receipt_handle for delivery in deliveries])


def settle() -> None:
    """The duty, as it runs when the sends that began before the change have ended."""
    slots.run_once(100, timezone.now() + timedelta(seconds=20))


def test_it_is_exact_again_after_sizes_changed_under_racing_sends(queue: Queue) -> None:
    def resize() -> None:
        for size in (30, None, 90, 10, None, 50) * 10:
            queues.update(queue, queue_size=size)

    at_once(resize, meanwhile=[lambda: produce(queue), lambda: consume(queue)] * 4)
    settle()
    assert sum(places(queue)) == 50
    assert current(queue).slots_unsettled_at is None


def test_it_takes_nothing_before_it_has_emptied_below_a_smaller_size(queue: Queue) -> None:
    send_many(queue, [NewMessage("hello")] * 60)
    queue = queues.update(queue, queue_size=30)

    def replace_one() -> int:
        [delivery] = receive(queue)
        ack(queue, [delivery.receipt_handle])
        return len(send_many(queue, [NewMessage("hello")]))

    assert at_once(*[replace_one] * 30) == [0] * 30
    assert places(queue) == (30, 0)


def test_it_is_never_settled_wrongly_while_sends_and_acks_go_on(queue: Queue) -> None:
    """Nothing is left from before the change here: every count must leave the sum as it is."""

    def settle_often() -> None:
        for _ in range(40):
            Queue.objects.filter(pk=queue.pk).update(slots_unsettled_at=timezone.now())
            settle()
            assert sum(places(queue)) == 60

    at_once(settle_often, meanwhile=[lambda: produce(queue), lambda: consume(queue)] * 4)


def test_a_resize_that_a_count_had_to_wait_for_is_counted_later(queue: Queue) -> None:
    Queue.objects.filter(pk=queue.pk).update(slots_unsettled_at=timezone.now() - timedelta(hours=1))
    with uncommitted(lambda: queues.update(queue, queue_size=80)):
        counting = waiting_for_a_lock(lambda: slots.run_once(100))
    counting.result()
    assert current(queue).slots_unsettled_at is not None


def test_a_resize_and_a_send_that_wait_for_the_same_places_do_not_block_each_other(queue: Queue) -> None:
    """A send that fits into no single slot takes them all in order; so must a resize."""
    slot_ids = list(QueueSlot.objects.filter(queue_id=queue.pk).order_by("id").values_list("id", flat=True))
    store_last_first(slot_ids)
    with uncommitted(lambda: QueueSlot.objects.select_for_update().get(pk=slot_ids[4])):
        sending = waiting_for_a_lock(lambda: send_many(queue, [NewMessage("hello")] * 20))
        resizing = waiting_for_a_lock(lambda: queues.update(queue, queue_size=80), others=1)
    assert len(sending.result()) == 20
    assert resizing.result().queue_size == 80


def store_last_first(slot_ids: list[int]) -> None:
    """On the page the last slot precedes the others, and reading the page would be cheapest."""
    QueueSlot.objects.filter(pk__in=slot_ids[:-1]).update(free=F("free"))
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {QueueSlot._meta.db_table}")
