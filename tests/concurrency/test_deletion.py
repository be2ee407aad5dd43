"""A queue is deleted while others send to it, bury into it, requeue out of it or delete its neighbour.

Real threads with real connections: each case is one transaction that finds another in its way.
"""

from collections.abc import Callable

import pytest

from queues import ids
from queues.errors import QueueNotFound, SourceDeleted
from queues.maintenance import deleted_queues
from queues.models import Message, Outcome, Queue, State
from queues.operations import queues
from queues.operations.dead_letters import bury, requeue
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.values import NewMessage
from tests.concurrency.ledger import ended, live
from tests.concurrency.together import at_once, in_a_hurry, uncommitted, waiting_for_a_lock


@pytest.fixture
def queue(make_queue: Callable[..., Queue]) -> Queue:
    """With one dead letter, and another message whose deliveries are used up."""
    queue = make_queue()
    exhaust(queue)
    bury(queue, 1)
    exhaust(queue)
    return current(queue)


def exhaust(queue: Queue) -> None:
    uid = send(queue, NewMessage("poison"))
    Message.objects.filter(id=uid).update(state=State.EXHAUSTED)


def current(queue: Queue) -> Queue:
    return Queue.objects.get(pk=queue.pk)


def clean_up() -> None:
    while deleted_queues.run_once(100):
        pass


def test_a_send_that_commits_after_the_deletion_ends_in_the_log(make_queue: Callable[..., Queue]) -> None:
    queue = make_queue(queue_size=10)
    with uncommitted(lambda: send(queue, NewMessage("late"))) as late:
        with in_a_hurry():
            queues.delete(queue)
        clean_up()
    clean_up()
    assert ended(queue, Outcome.QUEUE_DELETED) == {late: 1}
    assert live(queue) == []


def test_a_burial_that_the_deletion_waited_for_saves_the_dead_letter_queue(queue: Queue) -> None:
    Message.objects.filter(queue_id=queue.dlq_id).delete()
    with uncommitted(lambda: bury(queue, 10)):
        deletion = waiting_for_a_lock(lambda: queues.delete(queue))
    kept = deletion.result()
    assert kept == queue.dlq
    assert len(live(kept)) == 1


def test_a_burial_that_waited_for_the_deletion_finds_another_dead_letter_queue(queue: Queue) -> None:
    deleted = queue.dlq
    [dead] = live(deleted)
    [exhausted] = live(queue)
    with uncommitted(lambda: queues.delete(deleted)):
        burial = waiting_for_a_lock(lambda: bury(queue, 10))
    assert burial.result() == 1
    clean_up()
    assert ended(deleted) == {dead: 1}
    assert live(current(queue).dlq) == [exhausted]


def test_a_requeue_that_waited_for_the_deletion_leaves_the_dead_letter(queue: Queue) -> None:
    [dead] = live(queue.dlq)
    with uncommitted(lambda: queues.delete(queue)):
        requeuing = waiting_for_a_lock(lambda: requeue(queue.dlq, ids.message_id(dead)))
    with pytest.raises(SourceDeleted):
        requeuing.result()
    clean_up()
    assert live(queue, queue.dlq) == [dead]


def test_a_requeue_that_the_deletion_waited_for_ends_in_the_log(queue: Queue) -> None:
    [dead] = live(queue.dlq)
    [exhausted] = live(queue)
    with uncommitted(lambda: requeue(queue.dlq, ids.message_id(dead))):
        deletion = waiting_for_a_lock(lambda: queues.delete(queue))
    assert deletion.result() is None
    clean_up()
    assert ended(queue, Outcome.QUEUE_DELETED) == {dead: 1, exhausted: 1}


def test_a_consumer_that_came_too_late_makes_no_dead_letter_queue(queue: Queue) -> None:
    queues.delete(queue, with_dlq=True)
    receive(queue)
    bury(queue, 10)
    assert not Queue.objects.live().exists()
    [exhausted] = live(queue)
    clean_up()
    assert ended(queue, Outcome.QUEUE_DELETED) == {exhausted: 1}


def test_of_two_deletions_one_succeeds(queue: Queue) -> None:
    with uncommitted(lambda: queues.delete(queue)):
        second = waiting_for_a_lock(lambda: queues.delete(queue))
    with pytest.raises(QueueNotFound):
        second.result()


@pytest.mark.parametrize("attempt", range(10))
def test_a_queue_and_its_dead_letter_queue_are_deleted_at_once(queue: Queue, attempt: int) -> None:
    dlq = queue.dlq
    at_once(lambda: queues.delete(queue), lambda: queues.delete(dlq))
    assert not Queue.objects.live().exists()


def test_the_last_of_two_sources_leaves_an_ordinary_queue(make_queue: Callable[..., Queue]) -> None:
    dlq = make_queue("dead")
    one, other = make_queue("one", dlq=dlq), make_queue("other", dlq=dlq)
    send_many(dlq, [NewMessage("kept")])
    with uncommitted(lambda: queues.delete(one)):
        deletion = waiting_for_a_lock(lambda: queues.delete(other))
    assert deletion.result() == dlq
    assert not current(dlq).is_dlq
