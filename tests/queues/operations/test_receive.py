import pytest

from queues.errors import Invalid
from queues.models import Message, MessageLog, State
from queues.operations import queues
from queues.operations.receive import LOOK_BEHIND, ROUNDS, receive
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.factories import (
    NOW,
    after,
    data_of,
    in_flight_message,
    new_queue,
    ready_message,
    ready_messages,
    reloaded,
)

pytestmark = pytest.mark.django_db


def test_it_answers_nothing_from_an_empty_queue():
    assert receive(new_queue()) == []


def test_it_hides_the_message_from_others_until_the_lease_runs_out():
    queue = new_queue(visibility_timeout=30)
    first = in_flight_message(queue)
    assert receive(queue, now=after(seconds=29)) == []
    [second] = receive(queue, now=after(seconds=30))
    assert second.id == first.id
    assert second.receipt != first.receipt
    assert (first.delivery_count, second.delivery_count) == (1, 2)


def test_it_says_until_when_the_message_is_hidden():
    delivery = in_flight_message(new_queue(visibility_timeout=45))
    assert delivery.invisible_until == after(seconds=45)


def test_it_uses_the_timeout_of_this_receive_when_given():
    queue = new_queue(visibility_timeout=30)
    ready_message(queue)
    receive(queue, visibility_timeout=5, now=NOW)
    assert receive(queue, now=after(seconds=5))


def test_it_leaves_a_message_visible_with_a_timeout_of_zero():
    queue = new_queue()
    ready_message(queue)
    assert receive(queue, visibility_timeout=0, now=NOW)
    assert receive(queue, visibility_timeout=0, now=NOW)


def test_it_remembers_the_first_delivery():
    queue = new_queue(visibility_timeout=10)
    in_flight_message(queue)
    [second] = receive(queue, now=after(seconds=60))
    assert second.first_delivered_at == NOW


def test_it_counts_leases_that_ran_out():
    queue = new_queue(visibility_timeout=10)
    in_flight_message(queue)
    receive(queue, now=after(seconds=60))
    assert Message.objects.get().lease_expiry_count == 1


def test_it_hands_out_as_many_as_asked_for():
    queue = new_queue()
    ready_messages(queue, "a", "b", "c")
    assert data_of(receive(queue, limit=2, now=NOW)) == ["a", "b"]
    assert data_of(receive(queue, limit=2, now=NOW)) == ["c"]


def test_it_answers_nothing_while_the_queue_is_paused():
    queue = new_queue()
    ready_message(queue)
    queues.pause(queue)
    assert receive(reloaded(queue), now=NOW) == []
    queues.resume(queue)
    assert receive(reloaded(queue), now=NOW)


@pytest.mark.parametrize(
    ("limit", "timeout", "field"),
    [
        (0, 1, "max_messages"),
        (1001, 1, "max_messages"),
        (1, -1, "visibility_timeout"),
        (1, 43_201, "visibility_timeout"),
    ],
)
def test_it_refuses_what_is_out_of_bounds(limit, timeout, field):
    with pytest.raises(Invalid) as caught:
        receive(new_queue(), limit=limit, visibility_timeout=timeout)
    assert caught.value.field == field


def test_it_never_delivers_a_message_whose_retention_is_over():
    queue = new_queue(retention_seconds=60)
    ready_message(queue, "old")
    ready_message(queue, "young", now=after(seconds=30))
    assert data_of(receive(queue, limit=5, now=after(seconds=60))) == ["young"]
    assert MessageLog.objects.get().outcome == "expired"


def test_it_never_delivers_a_message_whose_own_time_is_over():
    queue = new_queue()
    ready_message(queue, ttl_seconds=10)
    assert receive(queue, now=after(seconds=10)) == []
    assert not Message.objects.exists()


def test_it_looks_behind_dead_messages_at_the_head():
    queue = new_queue(retention_seconds=60)
    send_many(queue, [NewMessage(f"old {number}") for number in range(150)], NOW)
    ready_message(queue, "young", now=after(seconds=30))
    assert data_of(receive(queue, now=after(seconds=60))) == ["young"]


def test_it_looks_no_further_than_it_must():
    queue = new_queue(retention_seconds=60)
    send_many(queue, [NewMessage("old")] * 1000, NOW)
    receive(queue, now=after(seconds=60))
    assert Message.objects.filter(state=State.READY).count() >= 1000 - LOOK_BEHIND * ROUNDS
