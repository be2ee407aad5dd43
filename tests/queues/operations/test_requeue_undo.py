import pytest

from queues.errors import AlreadyReceived, MessageNotFound, QueueFull, QueueNotFound
from queues.models import Message, MessageLog, Queue, QueueSlot
from queues.operations import queues
from queues.operations.ack import ack
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.receive import receive
from queues.operations.timeline import timeline
from tests.factories import NOW, after, dead_letter, new_queue, new_team, ready_message, reloaded

pytestmark = pytest.mark.django_db
LATER = after(seconds=10)


@pytest.fixture
def source() -> Queue:
    return new_queue(name="orders", max_deliveries=1, queue_size=5)


@pytest.fixture
def dlq(source: Queue) -> Queue:
    return dead_letter(source)


@pytest.fixture
def message_id(dlq: Queue) -> str:
    return Message.objects.get(queue_id=dlq.pk).public_id


def columns() -> dict:
    [row] = Message.objects.values()
    return row


def test_it_is_a_dead_letter_again_as_before(dlq: Queue, message_id: str):
    Message.objects.update(redrive_id=7)
    before = columns()
    requeue(dlq, message_id, LATER)
    undo_requeue(dlq, message_id, after(seconds=11))
    back = columns()
    changed = {name for name, value in before.items() if back[name] != value}
    assert changed == {"history", "visible_at"}


def test_it_finds_the_message_though_its_queue_has_another_dead_letter_queue_now(
    source: Queue, dlq: Queue, message_id: str
):
    requeue(dlq, message_id, LATER)
    queues.update(source, dlq=new_queue(source.team, name="elsewhere"))
    undo_requeue(dlq, message_id, LATER)
    assert columns()["queue_id"] == dlq.pk


def test_it_moves_the_place_along(source: Queue, dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    undo_requeue(dlq, message_id, LATER)
    assert (QueueSlot.objects.free(source), QueueSlot.objects.free(dlq)) == (5, 4)


def test_it_logs_the_short_stay(source: Queue, dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    undo_requeue(dlq, message_id, after(seconds=11))
    row = MessageLog.objects.get(outcome="requeued", queue_id=source.pk)
    assert (row.enqueued_at, row.finished_at, row.delivery_count) == (LATER, after(seconds=11), 0)


def test_it_comes_too_late_when_somebody_has_received_it(source: Queue, dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    receive(source, visibility_timeout=0, now=LATER)
    with pytest.raises(AlreadyReceived):
        undo_requeue(dlq, message_id, LATER)


def test_it_comes_too_late_when_it_has_died_again(source: Queue, dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    while receive(source, visibility_timeout=0, now=LATER):
        pass
    with pytest.raises(AlreadyReceived):
        undo_requeue(dlq, message_id, LATER)


def test_it_finds_nothing_when_the_message_is_finished(source: Queue, dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    [delivery] = receive(source, now=LATER)
    ack(source, [delivery.receipt_handle])
    with pytest.raises(MessageNotFound):
        undo_requeue(dlq, message_id, LATER)


def test_it_pulls_back_nothing_that_was_never_requeued(source: Queue, dlq: Queue):
    ready_message(source, "new work")
    fresh = Message.objects.get(queue_id=source.pk)
    with pytest.raises(AlreadyReceived):
        undo_requeue(dlq, fresh.public_id, LATER)


def test_it_finds_no_message_of_another_team(dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    with pytest.raises(MessageNotFound):
        undo_requeue(new_queue(new_team()), message_id, LATER)
    with pytest.raises(MessageNotFound):
        undo_requeue(dlq, "msg_nonsense", LATER)


def test_it_brings_it_back_only_to_where_it_came_from(source: Queue, dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    with pytest.raises(AlreadyReceived):
        undo_requeue(new_queue(source.team), message_id, LATER)


def test_it_is_done_once_when_asked_for_twice(dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    undo_requeue(dlq, message_id, LATER)
    undo_requeue(dlq, message_id, LATER)
    assert [event["event"] for event in columns()["history"]].count("requeue_undone") == 1
    assert QueueSlot.objects.free(dlq) == 4


def test_it_refuses_when_the_dead_letter_queue_is_full(source: Queue, dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    dlq = queues.update(dlq, queue_size=1)
    ready_message(dlq, "sent there")
    with pytest.raises(QueueFull):
        undo_requeue(dlq, message_id, LATER)
    assert Message.objects.get(queue_id=source.pk).public_id == message_id


def test_it_refuses_when_the_dead_letter_queue_is_deleted(dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER)
    queues.delete(dlq)
    with pytest.raises(QueueNotFound):
        undo_requeue(dlq, message_id, LATER)


def test_it_can_be_requeued_again(source: Queue, dlq: Queue, message_id: str):
    for _ in range(2):
        requeue(dlq, message_id, LATER)
        undo_requeue(dlq, message_id, LATER)
    assert requeue(dlq, message_id, LATER) == source
    assert [delivery.redrive_count for delivery in receive(reloaded(source), now=LATER)] == [1]


def test_the_timeline_says_who_asked(dlq: Queue, message_id: str):
    requeue(dlq, message_id, LATER, requested_by="ada")
    undo_requeue(dlq, message_id, after(seconds=11), requested_by="bob")
    entries = timeline(Message.objects.get(), after(seconds=11))[-2:]
    assert [(entry.event, entry.by, entry.detail) for entry in entries] == [
        ("requeued", "ada", "From orders-dlq to orders."),
        ("requeue_undone", "bob", "From orders to orders-dlq."),
    ]


def test_the_timeline_names_nobody_when_nobody_was_named(dlq: Queue, message_id: str):
    requeue(dlq, message_id, NOW)
    assert timeline(Message.objects.get(), NOW)[-1].by is None
