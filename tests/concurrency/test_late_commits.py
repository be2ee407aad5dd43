"""Messages whose transactions commit late, below the floors that keep claims off dead index entries.

Real threads and real time: a floor is measured once a second by the clock, and only another connection can
commit behind its back.
"""

import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta

import pytest

from queues.managers import floors
from queues.models import Message, Outcome, Queue
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.values import Delivery, NewMessage
from tests.concurrency.ledger import ended, live
from tests.concurrency.together import PATIENCE, at_once, uncommitted

SOON = 3.0


@pytest.fixture(autouse=True)
def _floors_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """However cheap it is to find the head of a queue."""
    monkeypatch.setattr(floors, "COSTLY", timedelta(microseconds=-1))


@pytest.fixture
def queue(make_queue: Callable[..., Queue]) -> Queue:
    return make_queue(max_deliveries=None)


@pytest.fixture
def sent(queue: Queue) -> list[uuid.UUID]:
    """What has been sent; it always holds a few messages, so that the queue has a head to measure."""
    return send_many(queue, [NewMessage("backlog")] * 50)


def churn(queue: Queue, sent: list[uuid.UUID]) -> set[uuid.UUID]:
    """Ten messages come, ten go; answers those that went."""
    sent += send_many(queue, [NewMessage("churn")] * 10)
    return take(queue)


def take(queue: Queue) -> set[uuid.UUID]:
    deliveries = receive(queue, 10)
    if not deliveries:
        return set()
    results = ack(queue, [delivery.receipt_handle for delivery in deliveries])
    assert all(result.error is None for result in results)
    return {delivery.id for delivery in deliveries}


def churn_until(queue: Queue, sent: list[uuid.UUID], passed: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE

    def watch() -> None:
        while not passed():
            assert time.monotonic() < deadline, "the floor never came into use"
            churn(queue, sent)

    at_once(watch, meanwhile=[lambda: churn(queue, sent)] * 3)


def wait_for(queue: Queue, wanted: set[uuid.UUID], sent: list[uuid.UUID]) -> float:
    """The seconds until all of these are taken, while other messages come and go as before."""
    start = time.monotonic()
    missing = set(wanted)
    while missing:
        missing -= churn(queue, sent)
        assert time.monotonic() < start + PATIENCE, f"never delivered: {missing}"
    return time.monotonic() - start


def drain(queue: Queue) -> None:
    while live(queue):
        take(queue)


def ready_floor_is_above(queue: Queue, uid: uuid.UUID) -> bool:
    floor = floors.ready(queue.pk)
    return floor is not None and floor > uid


def parked_floor_is_above(queue: Queue, visible_at: datetime) -> bool:
    floor = floors.parked(queue.pk)
    return floor is not None and floor > visible_at


def leased_briefly(queue: Queue) -> Delivery:
    [delivery] = receive(queue, visibility_timeout=1)
    return delivery


def sent_with_delay(queue: Queue) -> Message:
    return Message.objects.get(id=send(queue, NewMessage("late", delay_seconds=1)))


def test_it_delivers_soon_what_was_sent_long_before_it_was_committed(
    queue: Queue, sent: list[uuid.UUID]
) -> None:
    with uncommitted(lambda: send(queue, NewMessage("late"))) as late:
        churn_until(queue, sent, lambda: ready_floor_is_above(queue, late))
        assert late not in live(queue)
    assert wait_for(queue, {late}, sent) < SOON
    drain(queue)
    assert ended(queue, Outcome.ACKED) == dict.fromkeys([*sent, late], 1)


def test_it_delivers_soon_what_was_committed_out_of_order(queue: Queue, sent: list[uuid.UUID]) -> None:
    with ExitStack() as open_transactions:  # ends them last first
        late = [
            open_transactions.enter_context(uncommitted(lambda: send(queue, NewMessage("late"))))
            for _ in range(5)
        ]
        churn_until(queue, sent, lambda: ready_floor_is_above(queue, late[-1]))
    assert wait_for(queue, set(late), sent) < SOON
    drain(queue)
    assert ended(queue, Outcome.ACKED) == dict.fromkeys([*sent, *late], 1)


def test_it_delivers_again_soon_what_was_leased_long_before_that_was_committed(
    queue: Queue, sent: list[uuid.UUID]
) -> None:
    with uncommitted(lambda: leased_briefly(queue)) as late:
        churn_until(queue, sent, lambda: parked_floor_is_above(queue, late.invisible_until))
        assert Message.objects.get(queue_id=queue.pk, id=late.id).receipt is None
    assert wait_for(queue, {late.id}, sent) < SOON
    drain(queue)
    assert ended(queue, Outcome.ACKED) == dict.fromkeys(sent, 1)


def test_it_delivers_soon_what_was_delayed_long_before_that_was_committed(
    queue: Queue, sent: list[uuid.UUID]
) -> None:
    with uncommitted(lambda: sent_with_delay(queue)) as late:
        churn_until(queue, sent, lambda: parked_floor_is_above(queue, late.visible_at))
    assert wait_for(queue, {late.id}, sent) < SOON
    drain(queue)
    assert ended(queue, Outcome.ACKED) == dict.fromkeys([*sent, late.id], 1)
