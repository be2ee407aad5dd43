"""Redrives while others are at the same messages: two copies of maintenance, consumers, a start at once."""

import time
from collections.abc import Callable
from datetime import timedelta
from itertools import repeat
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from queues.errors import RedriveActive
from queues.maintenance import redrive as duty
from queues.models import Message, MessageLog, Outcome, Queue, QueueSlot, RedriveTask
from queues.operations import redrive
from queues.operations.ack import ack
from queues.operations.receive import receive
from tests.concurrency import ledger
from tests.concurrency.together import PATIENCE, at_once, elsewhere, uncommitted

LETTERS = 2_000


def bury_in(dlq: Queue, source: Queue, count: int = LETTERS) -> None:
    died = timezone.now() - timedelta(minutes=1)
    Message.objects.bulk_create(
        Message(queue_id=dlq.pk, size_bytes=1, data="x", dead_lettered_at=died, source_queue_id=source.pk)
        for _ in range(count)
    )


@pytest.fixture
def source(make_queue: Callable[..., Queue]) -> Queue:
    return make_queue("orders", dlq=make_queue("morgue"))


@pytest.fixture
def dlq(source: Queue) -> Queue:
    dlq: Any = source.dlq
    dlq.refresh_from_db()
    return dlq


def work_until_over(batch: int = 50) -> None:
    deadline = time.monotonic() + PATIENCE
    while RedriveTask.objects.filter(status="running").exists():
        assert time.monotonic() < deadline, RedriveTask.objects.get().reason
        duty.run_once(batch)


def consume(queue: Queue) -> None:
    for delivery in receive(queue, 20):
        ack(queue, [delivery.receipt_handle])


def test_two_copies_move_every_message_once(source: Queue, dlq: Queue) -> None:
    bury_in(dlq, source)
    task = redrive.start(dlq)
    at_once(work_until_over, work_until_over, work_until_over)
    task.refresh_from_db()
    assert (task.status, task.moved, task.skipped) == ("completed", LETTERS, {})
    assert (len(ledger.live(source)), len(ledger.live(dlq))) == (LETTERS, 0)
    assert set(ledger.ended(dlq, Outcome.REDRIVEN).values()) == {1}
    assert MessageLog.objects.filter(redrive_id=task.pk).count() == LETTERS


def test_consumers_of_both_queues_lose_and_double_nothing(source: Queue, dlq: Queue) -> None:
    bury_in(dlq, source)
    all_of_them = set(ledger.live(dlq))
    redrive.start(dlq)

    at_once(work_until_over, meanwhile=[lambda: consume(source), lambda: consume(dlq)])
    task = RedriveTask.objects.get()
    assert task.status == "completed"
    acked = ledger.finished(all_of_them)
    assert set(acked.values()) <= {1}
    assert set(acked) | set(ledger.live(source, dlq)) == all_of_them
    assert ledger.ended(dlq, Outcome.REDRIVEN).total() == task.moved


def test_an_undo_and_consumers_share_what_moved(source: Queue, dlq: Queue) -> None:
    bury_in(dlq, source)
    task = redrive.start(dlq)
    work_until_over(1000)
    undone, received = at_once(
        lambda: redrive.undo(task), lambda: sum(len(receive(source, 10)) for _ in repeat(None, 50))
    )
    assert undone + received <= LETTERS
    assert len(ledger.live(dlq)) == undone
    assert not Message.objects.filter(queue_id=dlq.pk, state="leased").exists()
    assert len(ledger.live(source, dlq)) == LETTERS


def test_a_bounded_target_is_never_overfilled(
    make_queue: Callable[..., Queue], source: Queue, dlq: Queue
) -> None:
    narrow = make_queue("narrow", queue_size=100)
    bury_in(dlq, source, 500)
    redrive.start(dlq, target=narrow)

    def consume_and_count() -> None:
        consume(narrow)
        held, free = ledger.places(narrow)
        assert held <= 100
        assert held + free == 100

    at_once(work_until_over, work_until_over, meanwhile=[consume_and_count])
    assert RedriveTask.objects.get().moved == 500
    assert QueueSlot.objects.free(narrow) == 100 - len(ledger.live(narrow))


def test_of_two_that_start_at_once_one_is_refused(source: Queue, dlq: Queue) -> None:
    bury_in(dlq, source, 10)

    def start() -> bool:
        try:
            return bool(redrive.start(dlq))
        except RedriveActive:
            return False

    assert sorted(at_once(start, start, start, start)) == [False, False, False, True]


def test_it_passes_by_a_redrive_that_another_process_is_at(source: Queue, dlq: Queue) -> None:
    bury_in(dlq, source, 10)
    redrive.start(dlq)
    with uncommitted(lambda: duty.run_once(5)) as moved:
        assert moved == 5
        with transaction.atomic():
            assert elsewhere(lambda: duty.run_once(5)) == 0
    assert duty.run_once(10) == 5
