"""Several consumers bury the first dead letters of a queue at the same moment.

Real threads with real connections: each has read that there is no dead-letter queue yet.
"""

from collections.abc import Callable

import pytest

from queues.models import Message, Queue, State
from queues.operations.dead_letters import bury
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.concurrency.ledger import live
from tests.concurrency.together import at_once, uncommitted, waiting_for_a_lock


@pytest.fixture
def queue(make_queue: Callable[..., Queue]) -> Queue:
    """With messages whose deliveries are used up."""
    queue = make_queue()
    send_many(queue, [NewMessage("poison")] * 80)
    Message.objects.filter(queue_id=queue.pk).update(state=State.EXHAUSTED)
    return queue


@pytest.mark.parametrize("attempt", range(5))
def test_they_make_one(queue: Queue, attempt: int) -> None:
    buried = at_once(*[lambda: bury(queue, 10)] * 8)
    dlq = Queue.objects.get(is_dlq=True)
    assert Queue.objects.get(pk=queue.pk).dlq == dlq
    assert sum(buried) == len(live(dlq)) == 80


def test_the_second_uses_what_the_first_has_made(queue: Queue) -> None:
    with uncommitted(lambda: bury(queue, 10)):
        second = waiting_for_a_lock(lambda: bury(queue, 10))
    assert second.result() == 10
    assert len(live(Queue.objects.get(is_dlq=True))) == 20
