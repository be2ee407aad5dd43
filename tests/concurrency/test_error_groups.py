"""Error groups are folded by several at once, while letters come and go: nothing is lost or doubled.

Real threads with real connections: only they can meet each other's deltas, and one of them can be cut off.
"""

from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import OperationalError, connection, transaction

from queues import ids
from queues.errors import QueueError
from queues.maintenance import error_groups as folding
from queues.maintenance import old_error_groups as forgetting
from queues.models import ErrorGroup, ErrorGroupDelta, ErrorGroupHour, Message, MessageLog, Outcome, Queue
from queues.operations import error_groups, queues, trash
from queues.operations.ack import ack
from queues.operations.dead_letters import requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.concurrency.together import at_once, elsewhere, in_a_hurry, uncommitted
from tests.queues.dying import counted, fold, really_there

KINDS = 7
LETTERS = 20


@pytest.fixture
def dlq(make_queue: Callable[..., Queue]) -> Queue:
    return make_queue("dead")


@pytest.fixture
def queue(dlq: Queue, make_queue: Callable[..., Queue]) -> Queue:
    return make_queue(max_deliveries=1, dlq=dlq)


def die(queue: Queue, count: int) -> None:
    send_many(queue, [NewMessage("{}")] * count)
    for number, delivery in enumerate(receive(queue, count)):
        report = {"type": f"Error{number % KINDS}", "message": ""} if number % KINDS else None
        nack(queue, delivery.message_id, delivery.receipt_handle, error=report)


def some(dlq: Queue, most: int) -> list[str]:
    rows = Message.objects.filter(queue_id=dlq.pk).order_by("?").values_list("id", flat=True)
    return [ids.message_id(uid) for uid in rows[:most]]


def test_folders_and_movers_at_once_keep_the_counts_exact(queue: Queue, dlq: Queue) -> None:
    def come_and_go() -> None:
        for _ in range(5):
            die(queue, LETTERS)
            for message_id in some(dlq, 4):
                with suppress(QueueError):
                    requeue(dlq, message_id)
            chosen = some(dlq, 4)
            trash.discard(dlq, chosen, by="ada")
            trash.restore(dlq, chosen[:2])
            ack(dlq, [delivery.receipt_handle for delivery in receive(dlq, 2)] or ["none"])

    wrong = []

    def observe() -> None:
        """In one snapshot the groups and the letters agree, whatever is under way."""
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            shown, there = counted(dlq), really_there(dlq)
        if shown != there:
            wrong.append((shown, there))

    folders = [lambda: folding.run_once(3)] * 2 + [lambda: folding.run_once(1_000)]
    at_once(*[come_and_go] * 4, meanwhile=[*folders, lambda: forgetting.run_once(1), observe])
    assert wrong == []
    assert counted(dlq) == really_there(dlq)
    fold()
    assert counted(dlq) == really_there(dlq)
    died = MessageLog.objects.filter(queue_id=queue.pk, outcome=Outcome.DEAD_LETTERED).count()
    assert sum(ErrorGroupHour.objects.values_list("arrived", flat=True)) == died


def test_who_folds_passes_over_what_another_folds(queue: Queue, dlq: Queue) -> None:
    die(queue, KINDS)
    before = counted(dlq)
    with uncommitted(lambda: folding.run_once(5)), in_a_hurry():
        assert folding.run_once(1_000) == KINDS - 5
        assert counted(dlq) == before
    assert counted(dlq) == before
    assert not ErrorGroupDelta.objects.exists()


def test_who_dies_while_folding_has_folded_nothing(queue: Queue, dlq: Queue) -> None:
    die(queue, LETTERS)
    before = counted(dlq)

    def fold_and_be_cut_off() -> None:
        with transaction.atomic():
            folding.run_once(1_000)
            with connection.cursor() as cursor, suppress(OperationalError):
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        raise AssertionError("it went on")

    with pytest.raises(OperationalError):
        elsewhere(fold_and_be_cut_off)
    assert not ErrorGroup.objects.exists()
    assert counted(dlq) == before
    fold()
    assert counted(dlq) == before


def test_a_mover_waits_for_no_folder(queue: Queue, dlq: Queue) -> None:
    die(queue, LETTERS)
    with uncommitted(lambda: folding.run_once(1_000)), in_a_hurry():
        die(queue, 2)
        requeue(dlq, some(dlq, 1)[0])
    assert counted(dlq) == really_there(dlq)


def test_forgetting_passes_over_a_group_that_is_being_folded(queue: Queue, dlq: Queue) -> None:
    die(queue, KINDS)
    fold()
    queues.purge(dlq)
    fold()
    ErrorGroup.objects.update(last_seen="2000-01-01T00:00:00Z")
    die(queue, 2)
    with uncommitted(lambda: folding.run_once(1_000)), in_a_hurry():
        assert ErrorGroup.objects.filter(count=0).count() == KINDS
        assert forgetting.run_once(1) == KINDS - 2
    assert counted(dlq) == really_there(dlq)


def test_a_note_and_a_fold_of_the_same_new_group_both_stay(queue: Queue, dlq: Queue) -> None:
    die(queue, 2)
    fingerprint = Message.objects.filter(error_type="Error1").get().fingerprint
    at_once(
        lambda: folding.run_once(1_000),
        lambda: error_groups.set_note(dlq, fingerprint, "call Bob", "ada"),
    )
    group = error_groups.group(dlq, fingerprint)
    assert (group.count, group.note) == (1, "call Bob")
