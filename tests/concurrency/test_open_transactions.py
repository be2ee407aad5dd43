"""Work on a queue goes on while somebody's transaction on it is still open.

Real connections: one holds its locks, the other would wait for them, and fails after a second if it does.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from queues.maintenance import promote
from queues.models import Queue
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.values import NewMessage
from tests.concurrency.ledger import live, places
from tests.concurrency.together import in_a_hurry, uncommitted


@pytest.fixture(params=[None, 100], ids=["unbounded", "bounded"])
def queue(request: pytest.FixtureRequest, make_queue: Callable[..., Queue]) -> Queue:
    queue = make_queue(queue_size=request.param)
    send_many(queue, [NewMessage("waiting")] * 10)
    return queue


def work_on(queue: Queue, times: int = 20) -> None:
    """Sends, receives and acks, none of which may wait."""
    for _ in range(times):
        with in_a_hurry():
            send(queue, NewMessage("hello"))
        with in_a_hurry():
            [delivery] = receive(queue)
        with in_a_hurry():
            [result] = ack(queue, [delivery.receipt_handle])
            assert result.error is None


def leased_one(queue: Queue) -> str:
    [delivery] = receive(queue)
    return delivery.receipt_handle


def test_a_send_holds_up_nobody(queue: Queue) -> None:
    with uncommitted(lambda: send(queue, NewMessage("open"))) as uid:
        work_on(queue)
        assert uid not in live(queue)
    assert uid in live(queue)


def test_a_receive_holds_up_nobody(queue: Queue) -> None:
    with uncommitted(lambda: leased_one(queue)):
        work_on(queue)


def test_a_promotion_holds_up_nobody(queue: Queue) -> None:
    send_many(queue, [NewMessage("due", delay_seconds=1)] * 5, timezone.now() - timedelta(minutes=1))
    with uncommitted(lambda: promote.run_once(100)) as promoted:
        assert promoted == 5
        work_on(queue)


def test_an_ack_holds_up_nobody(queue: Queue) -> None:
    handle = leased_one(queue)
    with uncommitted(lambda: ack(queue, [handle])):
        work_on(queue)


def test_transactions_that_hold_every_slot_hold_up_no_ack(make_queue: Callable[..., Queue]) -> None:
    queue = make_queue(queue_size=3)
    send(queue, NewMessage("hello"))
    handle = leased_one(queue)
    # Three places in eight slots: a send of two has to hold all of them.
    with uncommitted(lambda: send_many(queue, [NewMessage("open")] * 2)), in_a_hurry():
        [result] = ack(queue, [handle])
    assert result.error is None
    assert places(queue) == (2, 1)
