"""Long polls in threads: what wakes them, whom first, and what they do not hold.

In this room because a waiting request gives its connection back, which no test transaction survives.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connection, connections

from queues import events, waiting
from queues.errors import QueueNotFound
from queues.managers.queue import QueueManager
from queues.models import Message, Queue
from queues.operations import queues, trash
from queues.operations.ack import ack
from queues.operations.lease import change_visibility
from queues.operations.long_poll import receive_or_wait
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.prober import prober
from queues.values import Delivery, NewMessage
from tests.factories import data_of, reloaded

MakeQueue = Callable[..., Queue]
PATIENCE = 20.0


class Waiters:
    """Long polls in threads of their own, parked one after another."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self.threads = threads

    def park(self, queue: Queue, wait_seconds: int = 20, **options: Any) -> Future[list[str]]:
        before = len(waiting.room)
        parked = self.threads.submit(_poll, queue, wait_seconds, options)
        _until(lambda: len(waiting.room) > before or parked.done())
        return parked


def _poll(queue: Queue, wait_seconds: int, options: dict[str, Any]) -> list[str]:
    try:
        _, deliveries = receive_or_wait(lambda: reloaded(queue), wait_seconds=wait_seconds, **options)
        return data_of(deliveries)
    finally:
        connections.close_all()


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.002)


def data(parked: Future[list[str]]) -> list[str]:
    return parked.result(PATIENCE)


@pytest.fixture
def waiters() -> Iterator[Waiters]:
    with ThreadPoolExecutor(64) as threads:
        yield Waiters(threads)
    assert len(waiting.room) == 0


@pytest.fixture
def queue(make_queue: MakeQueue) -> Queue:
    return make_queue()


def held_line(make_queue: MakeQueue) -> tuple[Queue, Delivery]:
    """A FIFO queue with two messages of one group, the first of which somebody holds."""
    queue = make_queue("line", mode="fifo")
    send_many(queue, [NewMessage(text, group_id="a") for text in ("first", "second")])
    [held] = receive(queue)
    return queue, held


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process does goes unheard, as if another one did it: only the probe can tell."""
    monkeypatch.setattr(events, "_subscribers", [])


@pytest.fixture
def no_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prober, "watch", lambda: None)


def test_it_answers_at_once_when_there_is_a_message(queue: Queue, waiters: Waiters) -> None:
    send(queue, NewMessage("x"))
    assert data(waiters.park(queue)) == ["x"]


def test_it_answers_empty_when_the_time_is_over(queue: Queue, waiters: Waiters) -> None:
    began = time.monotonic()
    assert data(waiters.park(queue, wait_seconds=1)) == []
    assert 1 <= time.monotonic() - began < 2


def test_it_waits_as_long_as_the_queue_says(make_queue: MakeQueue, waiters: Waiters) -> None:
    parked = waiters.park(make_queue(receive_wait_seconds=20), wait_seconds=None)
    assert not parked.done()
    waiting.room.wake_all()
    assert not parked.done()
    send(Queue.objects.get(), NewMessage("x"))
    assert data(parked) == ["x"]


@pytest.mark.usefixtures("no_probes")
class TestInThisProcess:
    """Nobody has to ask the database: whoever did it wakes the waiter."""

    def test_a_send_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        parked = waiters.park(queue)
        send(queue, NewMessage("x"))
        assert data(parked) == ["x"]

    def test_a_resume_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        send(queue, NewMessage("x"))
        queues.pause(queue)
        parked = waiters.park(queue)
        queues.resume(queue)
        assert data(parked) == ["x"]

    def test_a_nack_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        send(queue, NewMessage("x"))
        [delivery] = receive(queue)
        parked = waiters.park(queue)
        nack(queue, delivery.message_id, delivery.receipt_handle, delay_seconds=0)
        assert data(parked) == ["x"]

    def test_an_ack_wakes_it_when_its_group_waits(self, make_queue: MakeQueue, waiters: Waiters) -> None:
        queue, held = held_line(make_queue)
        parked = waiters.park(queue)
        ack(queue, [held.receipt_handle])
        assert data(parked) == ["second"]

    def test_so_does_somebody_who_discards_what_it_waits_for(
        self, make_queue: MakeQueue, waiters: Waiters
    ) -> None:
        queue, held = held_line(make_queue)
        nack(queue, held.message_id, held.receipt_handle, delay_seconds=3600)
        parked = waiters.park(queue)
        trash.discard(queue, [held.message_id], by="ada")
        assert data(parked) == ["second"]

    def test_a_deletion_ends_it(self, queue: Queue, waiters: Waiters) -> None:
        parked = waiters.park(queue)
        queues.delete(queue)
        with pytest.raises(QueueNotFound):
            data(parked)


@pytest.mark.usefixtures("elsewhere")
class TestElsewhere:
    """The probe sees what other processes do, and what nobody does: time that runs out."""

    def test_a_group_that_goes_on_wakes_it(self, make_queue: MakeQueue, waiters: Waiters) -> None:
        queue, held = held_line(make_queue)
        parked = waiters.park(queue)
        ack(queue, [held.receipt_handle])
        assert data(parked) == ["second"]

    def test_a_group_whose_lease_runs_out_wakes_it(self, make_queue: MakeQueue, waiters: Waiters) -> None:
        queue, held = held_line(make_queue)
        change_visibility(queue, held.message_id, held.receipt_handle, 1)
        assert data(waiters.park(queue)) == ["first"]

    def test_a_send_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        parked = waiters.park(queue)
        send(queue, NewMessage("x"))
        assert data(parked) == ["x"]

    def test_a_delay_that_is_over_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        send(queue, NewMessage("x", delay_seconds=1))
        assert data(waiters.park(queue)) == ["x"]

    def test_a_lease_that_ran_out_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        send(queue, NewMessage("x"))
        receive(queue, visibility_timeout=1)
        assert data(waiters.park(queue)) == ["x"]

    def test_a_message_set_free_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        send(queue, NewMessage("x"))
        [delivery] = receive(queue)
        parked = waiters.park(queue)
        change_visibility(queue, delivery.message_id, delivery.receipt_handle, 0)
        assert data(parked) == ["x"]

    def test_a_resume_wakes_it(self, queue: Queue, waiters: Waiters) -> None:
        send(queue, NewMessage("x"))
        queues.pause(queue)
        parked = waiters.park(queue)
        queues.resume(queue)
        assert data(parked) == ["x"]

    def test_a_deletion_ends_it(self, queue: Queue, waiters: Waiters) -> None:
        parked = waiters.park(queue)
        queues.delete(queue)
        with pytest.raises(QueueNotFound):
            data(parked)

    def test_it_gets_over_a_database_that_was_away(
        self,
        queue: Queue,
        waiters: Waiters,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        answers = iter([OperationalError("gone"), OperationalError("gone")])
        probe = QueueManager.deliverable

        def failing_twice(*arguments: Any) -> list[Any]:
            for error in answers:
                raise error
            return probe(*arguments)

        monkeypatch.setattr(QueueManager, "deliverable", failing_twice)
        parked = waiters.park(queue)
        send(queue, NewMessage("x"))
        assert data(parked) == ["x"]
        assert len([line for line in caplog.records if line.name == "queues.prober"]) == 1


def test_it_stays_when_the_queue_is_paused(queue: Queue, waiters: Waiters) -> None:
    queues.pause(queue)
    parked = waiters.park(queue, wait_seconds=1)
    send(queue, NewMessage("x"))
    assert data(parked) == []
    assert Message.objects.get().delivery_count == 0


@pytest.mark.parametrize("heard", [True, False], ids=["in this process", "elsewhere"])
def test_first_come_first_served(
    queue: Queue, waiters: Waiters, heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not heard:
        monkeypatch.setattr(events, "_subscribers", [])
    parked = [waiters.park(queue) for _ in range(6)]
    for number, waiter in enumerate(parked):
        send(queue, NewMessage(str(number)))
        assert data(waiter) == [str(number)]


def test_each_gets_one_of_many(queue: Queue, waiters: Waiters) -> None:
    parked = [waiters.park(queue) for _ in range(40)]
    for number in range(40):
        send(queue, NewMessage(str(number)))
    assert sorted(int(text) for waiter in parked for text in data(waiter)) == list(range(40))


def test_one_that_is_gone_leases_nothing_and_the_next_gets_it(queue: Queue, waiters: Waiters) -> None:
    gone = waiters.park(queue, is_gone=lambda: True)
    there = waiters.park(queue)
    send(queue, NewMessage("x"))
    assert (data(gone), data(there)) == ([], ["x"])
    assert Message.objects.get().delivery_count == 1


def test_one_that_is_refused_leaves_it_to_the_next(queue: Queue, waiters: Waiters) -> None:
    looks = iter([queue])
    refused = waiters.threads.submit(
        receive_or_wait, lambda: next(looks), wait_seconds=20
    )  # its second look fails
    _until(lambda: len(waiting.room) == 1)
    there = waiters.park(queue)
    send(queue, NewMessage("x"))
    with pytest.raises(StopIteration):
        refused.result(PATIENCE)
    assert data(there) == ["x"]
    waiters.threads.submit(connections.close_all)


def test_it_holds_no_connection(queue: Queue, waiters: Waiters, no_probes: None) -> None:
    def taken() -> int:
        connection.close()
        stats = connection.pool.get_stats()
        return stats["pool_size"] - stats["pool_available"]

    before = taken()  # a thread of an earlier test may have ended without giving its own back
    parked = [waiters.park(queue) for _ in range(20)]
    _until(lambda: taken() <= before)
    for _ in parked:
        send(queue, NewMessage("x"))
    assert [data(waiter) for waiter in parked] == [["x"]] * 20


def test_it_probes_at_most_twenty_times_a_second_for_all(
    make_queue: MakeQueue, waiters: Waiters, monkeypatch: pytest.MonkeyPatch
) -> None:
    probes: list[int] = []
    probe = QueueManager.deliverable

    def counted(manager: Any, lengths: dict[int, int]) -> list[Any]:
        probes.append(len(lengths))
        return probe(manager, lengths)

    monkeypatch.setattr(QueueManager, "deliverable", counted)
    parked = [waiters.park(make_queue(f"queue-{n % 5}"), wait_seconds=2) for n in range(20)]
    began, before = time.monotonic(), len(probes)
    assert [data(waiter) for waiter in parked] == [[]] * 20
    assert len(probes) - before <= 20 * (time.monotonic() - began) + 1
    assert max(probes) == 5


def test_nobody_probes_when_nobody_waits(queue: Queue, waiters: Waiters) -> None:
    data(waiters.park(queue, wait_seconds=1))
    _until(lambda: not prober._running)


def test_the_end_of_one_queue_is_no_business_of_another(make_queue: MakeQueue, waiters: Waiters) -> None:
    """One probe serves them all."""
    gone, kept = make_queue("gone"), make_queue("kept")
    first, second = waiters.park(gone), waiters.park(kept)
    queues.delete(gone)
    send(kept, NewMessage("x"))
    assert data(second) == ["x"]
    with pytest.raises(QueueNotFound):
        data(first)
