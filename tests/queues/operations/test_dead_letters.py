import pytest

from queues.errors import MessageNotFound, NotADeadLetter, QueueFull, SourceDeleted
from queues.models import Message, MessageLog, Queue, QueueSlot, State
from queues.operations import look, queues
from queues.operations.dead_letters import bury, requeue
from queues.operations.receive import receive
from tests.factories import (
    NOW,
    after,
    data_of,
    dead_letter,
    in_flight_message,
    new_queue,
    ready_message,
    reloaded,
)

pytestmark = pytest.mark.django_db


def only_message(queue: Queue) -> Message:
    return Message.objects.get(queue_id=queue.pk)


def test_it_has_no_dead_letter_queue_before_the_first_dead_letter():
    queue = new_queue()
    in_flight_message(queue)
    assert reloaded(queue).dlq is None


def test_it_moves_a_message_whose_deliveries_are_used_up():
    queue = new_queue(max_deliveries=2, visibility_timeout=10)
    in_flight_message(queue)
    assert receive(queue, now=after(seconds=10))
    assert receive(queue, now=after(seconds=20)) == []
    assert only_message(reloaded(queue).dlq).data == "hello"


def test_it_keeps_the_id_the_count_and_where_it_came_from():
    queue = new_queue(max_deliveries=1, visibility_timeout=10)
    delivery = in_flight_message(queue)
    receive(queue, now=after(seconds=10))
    dead = only_message(reloaded(queue).dlq)
    assert (dead.id, dead.delivery_count, dead.source_queue_id) == (delivery.id, 1, queue.pk)
    assert (dead.dead_lettered_at, dead.dead_letter_reason) == (after(seconds=10), "max_deliveries_exceeded")
    assert dead.enqueued_at == NOW


def test_it_lets_the_rest_flow():
    queue = new_queue(max_deliveries=1, visibility_timeout=10)
    in_flight_message(queue, "poison")
    ready_message(queue, "fine")
    assert data_of(receive(queue, limit=5, now=after(seconds=10))) == ["fine"]


def test_it_makes_the_dead_letter_queue_like_its_source():
    source = new_queue(name="orders", max_deliveries=1, queue_size=50)
    dlq = dead_letter(source)
    assert (dlq.name, dlq.mode, dlq.queue_size) == ("orders-dlq", "standard", 50)
    assert (dlq.retention_seconds, dlq.max_deliveries, dlq.is_dlq) == (14 * 86_400, None, True)


def test_it_takes_the_next_name_when_the_team_has_such_a_queue():
    source = new_queue(name="orders", max_deliveries=1)
    new_queue(source.team, name="orders-dlq")
    assert dead_letter(source).name == "orders-dlq-2"


def test_it_cuts_a_long_name_to_fit():
    dlq = dead_letter(new_queue(name="n" * 80, max_deliveries=1))
    assert dlq.name == "n" * 76 + "-dlq"


def test_it_uses_the_queue_its_owner_named():
    morgue = new_queue(name="morgue")
    source = new_queue(morgue.team, dlq=morgue, max_deliveries=1)
    assert dead_letter(source) == morgue


def test_it_counts_a_message_s_own_limit_before_the_queue_s():
    queue = new_queue(max_deliveries=None)
    ready_message(queue, max_deliveries=1)
    receive(queue, visibility_timeout=0, now=NOW)
    assert receive(queue, now=NOW) == []
    assert reloaded(queue).dlq is not None


def test_it_never_lets_a_message_die_without_a_limit():
    queue = new_queue(max_deliveries=None)
    ready_message(queue)
    for _ in range(20):
        assert receive(queue, visibility_timeout=0, now=NOW)


def test_it_hands_out_dead_letters_like_any_message_and_they_do_not_die_again():
    dlq = dead_letter(new_queue(max_deliveries=1))
    for _ in range(5):
        assert data_of(receive(dlq, visibility_timeout=0, now=NOW)) == ["poison"]


def test_it_keeps_a_message_exhausted_while_the_dead_letter_queue_is_full():
    queue = new_queue(max_deliveries=1, queue_size=5)
    dlq = dead_letter(queue, "first")
    queues.update(dlq, queue_size=1)
    ready_message(queue, "second")
    receive(queue, visibility_timeout=0, now=NOW)
    assert receive(queue, now=NOW) == []
    assert only_message(queue).state == State.EXHAUSTED
    assert look.count(queue, NOW).exhausted == 1


def test_it_moves_an_exhausted_message_once_there_is_room():
    queue = new_queue(max_deliveries=1, queue_size=5)
    dlq = queues.update(dead_letter(queue, "first"), queue_size=1)
    ready_message(queue, "second")
    receive(queue, visibility_timeout=0, now=NOW)
    receive(queue, now=NOW)
    queues.purge(dlq)
    assert bury(queue, 10, NOW) == 1
    assert only_message(dlq).data == "second"


def test_it_logs_the_stay_that_ended():
    queue = new_queue(max_deliveries=1)
    dead_letter(queue)
    row = MessageLog.objects.get()
    assert (row.queue_id, row.outcome, row.delivery_count) == (queue.pk, "dead_lettered", 1)


def test_it_gives_back_the_place_in_the_source_and_takes_one_in_the_dead_letter_queue():
    queue = new_queue(max_deliveries=1, queue_size=7)
    dlq = dead_letter(queue)
    assert (QueueSlot.objects.free(queue), QueueSlot.objects.free(dlq)) == (7, 6)


def test_it_moves_messages_whose_limit_was_lowered():
    queue = new_queue(max_deliveries=5)
    ready_message(queue)
    for _ in range(3):
        receive(queue, visibility_timeout=0, now=NOW)
    queue = queues.update(queue, max_deliveries=2)
    assert receive(queue, now=NOW) == []
    assert only_message(reloaded(queue).dlq).delivery_count == 3


def test_it_does_not_die_again_when_its_queue_is_no_dead_letter_queue_any_more():
    grave = new_queue(name="grave")
    source = new_queue(grave.team, dlq=grave, max_deliveries=3)
    dead_letter(source)
    queues.delete(source)
    grave = reloaded(grave)
    assert not grave.is_dlq
    for _ in range(5):
        assert data_of(receive(grave, visibility_timeout=0, now=NOW)) == ["poison"]


def test_letters_of_an_ageing_queue_take_their_turn_among_others():
    grave = new_queue(name="grave")
    ageing = new_queue(grave.team, dlq=grave, max_deliveries=1, priority_aging_seconds=60)
    dead_letter(ageing, "aged")
    ready_message(reloaded(grave), "plain")
    assert data_of(receive(reloaded(grave), limit=2, now=NOW)) == ["aged", "plain"]


class TestRequeue:
    def test_it_brings_the_message_back_to_be_tried_afresh(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        assert requeue(dlq, only_message(dlq).public_id, NOW) == queue
        [delivery] = receive(queue, now=NOW)
        assert (delivery.data, delivery.delivery_count, delivery.redrive_count) == ("poison", 1, 1)
        assert (delivery.source_queue_id, delivery.dead_lettered_at) == (None, None)

    def test_it_gives_the_message_its_retention_anew(self):
        queue = new_queue(max_deliveries=1, retention_seconds=60)
        dlq = dead_letter(queue)
        requeue(dlq, only_message(dlq).public_id, after(days=5))
        assert receive(queue, now=after(days=5, seconds=59))

    def test_it_logs_the_stay_among_the_dead(self):
        dlq = dead_letter(new_queue(max_deliveries=1))
        requeue(dlq, only_message(dlq).public_id, after(seconds=5))
        row = MessageLog.objects.get(outcome="requeued")
        assert (row.queue_id, row.enqueued_at, row.finished_at) == (dlq.pk, NOW, after(seconds=5))

    def test_it_moves_the_place_along(self):
        queue = new_queue(max_deliveries=1, queue_size=7)
        dlq = dead_letter(queue)
        requeue(dlq, only_message(dlq).public_id, NOW)
        assert (QueueSlot.objects.free(queue), QueueSlot.objects.free(dlq)) == (6, 7)

    def test_it_refuses_when_the_source_is_full_and_loses_nothing(self):
        queue = new_queue(max_deliveries=1, queue_size=1)
        dlq = dead_letter(queue)
        ready_message(queue, "new work")
        with pytest.raises(QueueFull):
            requeue(dlq, only_message(dlq).public_id, NOW)
        assert only_message(dlq).data == "poison"

    def test_it_refuses_a_message_that_was_sent_there(self):
        dlq = dead_letter(new_queue(max_deliveries=1))
        queues.purge(dlq)
        ready_message(dlq, "sent here")
        with pytest.raises(NotADeadLetter):
            requeue(dlq, only_message(dlq).public_id)

    def test_it_refuses_when_the_source_is_deleted(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        queues.delete(queue)
        with pytest.raises(SourceDeleted):
            requeue(dlq, only_message(dlq).public_id)
        assert only_message(dlq).data == "poison"

    def test_it_finds_no_message_of_another_queue(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        with pytest.raises(MessageNotFound):
            requeue(queue, only_message(dlq).public_id)
