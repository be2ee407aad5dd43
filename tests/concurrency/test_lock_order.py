"""Whoever waits for the places of a queue holds none of them: nobody waits in a circle.

Real threads with real connections: a deadlock takes two. Where a race lasts a moment, it is made to last.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import cycle
from typing import Any

import pytest
from django.db import connection, transaction

from queues import ids
from queues.errors import QueueError
from queues.managers import statements
from queues.models import Message, Queue, QueueSlot
from queues.operations import queues, redrive, redrive_run, trash
from queues.operations.ack import ack
from queues.operations.dead_letters import bury, requeue, undo_requeue
from queues.operations.edit import edit_and_requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.values import NewMessage
from tests.concurrency.ledger import places
from tests.concurrency.together import at_once, in_a_hurry, uncommitted, waiting_for_a_lock

ROUNDS = 15


def slots_of(queue: Queue) -> list[int]:
    return list(QueueSlot.objects.filter(queue_id=queue.pk).order_by("id").values_list("id", flat=True))


def hold(*slot_ids: int) -> None:
    """Until the transaction ends, or fail when somebody else holds one."""
    list(QueueSlot.objects.select_for_update(nowait=True).filter(id__in=slot_ids))


@contextmanager
def planned_badly() -> Iterator[None]:
    """A server whose planner reads tables from front to back."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_indexscan = off; SET LOCAL enable_seqscan = on")
        yield


def test_a_resize_waits_for_the_lowest_slot_and_holds_no_other(make_queue: Callable[..., Queue]) -> None:
    queue = make_queue(queue_size=8)
    lowest, *others = slots_of(queue)
    QueueSlot.objects.filter(id=lowest).update(free=1)  # its row lies behind the others now

    def resize() -> None:
        with planned_badly():
            queues.update(queue, queue_size=9)

    with uncommitted(lambda: hold(lowest)):
        resizing = waiting_for_a_lock(resize)
        with transaction.atomic():
            hold(*others)
    resizing.result()


def test_a_send_in_a_longer_transaction_lets_go_of_a_slot_that_filled_up(
    make_queue: Callable[..., Queue], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = make_queue(queue_size=1)
    lowest, second, *_ = slots_of(queue)
    QueueSlot.objects.filter(id=lowest).update(free=0)
    QueueSlot.objects.filter(id=second).update(free=1)
    load = statements.load
    monkeypatch.setattr(statements, "load", lambda name: load(name).replace("SKIP LOCKED", ""))

    def send_in_a_transaction() -> list[Any]:
        with transaction.atomic():
            return send_many(queue, [NewMessage("second")])

    with uncommitted(lambda: hold(lowest)):
        with uncommitted(lambda: send(queue, NewMessage("first"))):
            sending = waiting_for_a_lock(send_in_a_transaction)
        # It waited for the second slot, found it full, and waits for all of them now.
        with in_a_hurry():
            list(QueueSlot.objects.select_for_update().filter(id=second))
    assert sending.result() == []


@pytest.mark.parametrize("mode", ["standard", "fifo"])
def test_everything_that_takes_or_gives_back_places_at_once(
    make_queue: Callable[..., Queue], mode: str
) -> None:
    dlq = make_queue("dead", queue_size=40, mode=mode)
    queue = make_queue(queue_size=40, dlq=dlq, allow_edit=True, max_deliveries=1, mode=mode)
    both = [Queue.objects.get(pk=queue.pk), Queue.objects.get(pk=dlq.pk)]

    def attempt(deed: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        """Much is refused: the queue is full, somebody was faster. A deadlock is no such error."""
        with suppress(QueueError):
            deed(*arguments, **named)

    def some(place: Queue, most: int) -> list[str]:
        rows = Message.objects.filter(queue_id=place.pk).order_by("?").values_list("id", flat=True)
        return [ids.message_id(uid) for uid in rows[:most]]

    def produce() -> None:
        for groups in ("a", "cab", "abcd" * 5):
            send_many(queue, [NewMessage("{}", group_id=group) for group in groups])

    def consume() -> None:
        for place in both:
            ack(place, [delivery.receipt_handle for delivery in receive(place, 3)] or ["none"])

    def die() -> None:
        for delivery in receive(queue, 5):
            attempt(nack, queue, delivery.message_id, delivery.receipt_handle)
        receive(queue, 5, visibility_timeout=0)
        bury(queue, 10)

    def revive() -> None:
        for message_id in some(dlq, 3):
            attempt(requeue, dlq, message_id)
            attempt(undo_requeue, dlq, message_id)
        for message_id in some(dlq, 1):
            attempt(edit_and_requeue, dlq, message_id, data="[]", by="ada")

    def redrive_and_undo() -> None:
        try:
            task = redrive.start(dlq, limit=10)
        except QueueError:
            return
        redrive_run.advance(task.pk, 10)
        attempt(redrive.undo, task)

    def discard_and_restore(place: Queue) -> None:
        chosen = some(place, 5)
        attempt(trash.discard, place, chosen, by="ada")
        attempt(trash.restore, place, chosen)

    sizes = cycle((41, 40))

    def rounds() -> None:
        for _ in range(ROUNDS):
            queues.update(dlq, queue_size=next(sizes))
            queues.purge(queue)

    jobs = [produce, produce, consume, consume, die, revive, redrive_and_undo]
    at_once(rounds, meanwhile=[*jobs, *(partial(discard_and_restore, place) for place in both)])
    assert sum(places(queue)) == 40
