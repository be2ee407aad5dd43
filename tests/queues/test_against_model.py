"""Random histories of a queue and its dead-letter queue, on a real database and in a model: they agree.

Sends, receives, acks, nacks, visibility changes, time passing, maintenance, requeues and their undo, redrives
and the trash, with receipt handles of every age. After each step every message is where the model says, in
that state, with that many deliveries.
"""

from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from itertools import count

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from queues.errors import AlreadyReceived, QueueError, ReceiptStale
from queues.maintenance import DUTIES
from queues.models import Message, MessageLog, Queue
from queues.operations import look, queues, redrive, trash
from queues.operations.ack import ack
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.lease import change_visibility
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import Delivery, NewMessage
from tests.factories import new_team
from tests.queues.model import Box, Letter

MAX_DELIVERIES = 3
SECONDS = st.sampled_from([0, 1, 5, 30])
HISTORIES = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def refused_with(error: type[QueueError] | None) -> AbstractContextManager[object]:
    return pytest.raises(error) if error else nullcontext()


class QueueMachine(RuleBasedStateMachine):
    mode = "standard"
    stale: type[QueueError] = ReceiptStale
    new_box: type[Box] = Box

    @initialize()
    def begin(self) -> None:
        team = new_team()
        self.dlq = queues.create(team, name="graves", mode=self.mode)[0]
        settings = {"max_deliveries": MAX_DELIVERIES, "dlq": self.dlq, "mode": self.mode}
        self.queue = queues.create(team, name="work", **settings)[0]
        self.dlq = queues.find(team, self.dlq.public_id)
        self.grave = self.new_box()
        self.box = self.new_box(MAX_DELIVERIES, self.grave)
        self.now = timezone.now()
        self.numbers = count()
        self.letters: list[Letter] = []
        self.trash: dict[str, Letter] = {}
        self.finished = 0

    # --- what can happen ---------------------------------------------------------------------------

    @rule(priority=st.integers(-1, 1), delay=SECONDS)
    def send(self, priority: int, delay: int) -> None:
        place = next(self.numbers)
        data = f"message {place}"
        send(self.queue, NewMessage(data, priority=priority, delay_seconds=delay), self.now)
        letter = Letter(data, priority, place, self.now + timedelta(seconds=delay), self.box)
        self.box.send(letter)
        self.letters.append(letter)

    @rule(limit=st.integers(1, 4), timeout=SECONDS, dead=st.booleans())
    def receive(self, limit: int, timeout: int, dead: bool) -> None:
        queue, box = (self.dlq, self.grave) if dead else (self.queue, self.box)
        deliveries = receive(queue, limit, timeout, self.now)
        expected = box.receive(limit, timeout, self.now)
        self._hand_over(deliveries, expected)

    @precondition(lambda self: any(letter.handles for letter in self.letters))
    @rule(data=st.data())
    def ack(self, data: st.DataObject) -> None:
        letter, handle, error = self._any_handle(data)
        [result] = ack(self._queue_of(letter), [handle], self.now)
        assert type(result.error) is (error or type(None))
        if error is None:
            self._forget(letter)

    @precondition(lambda self: any(letter.handles for letter in self.letters))
    @rule(data=st.data(), delay=SECONDS)
    def nack(self, data: st.DataObject, delay: int) -> None:
        letter, handle, error = self._any_handle(data)
        with refused_with(error):
            nack(self._queue_of(letter), self._id_of(letter), handle, delay_seconds=delay, now=self.now)
            letter.queue.nack(letter, delay, self.now)

    @precondition(lambda self: any(letter.handles for letter in self.letters))
    @rule(data=st.data(), timeout=SECONDS)
    def change_visibility(self, data: st.DataObject, timeout: int) -> None:
        letter, handle, error = self._any_handle(data)
        with refused_with(error):
            change_visibility(self._queue_of(letter), self._id_of(letter), handle, timeout, self.now)
            letter.leased = True
            letter.visible_at = self.now + timedelta(seconds=timeout)

    @rule(seconds=st.integers(1, 40))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def maintain(self) -> None:
        self._run_duties()

    @precondition(lambda self: self.grave.letters)
    @rule(data=st.data())
    def requeue(self, data: st.DataObject) -> None:
        letter = data.draw(st.sampled_from(self.grave.letters))
        target = requeue(self.dlq, self._id_of(letter), self.now)
        assert target == self.queue
        self.grave.requeue(letter, self.box, self.now)

    @precondition(lambda self: self.box.letters)
    @rule(data=st.data())
    def undo_requeue(self, data: st.DataObject) -> None:
        letter = data.draw(st.sampled_from(self.box.letters))
        with refused_with(AlreadyReceived if letter.before is None else None):
            undo_requeue(self.dlq, self._id_of(letter), self.now)
            self.box.pull_back(letter, self.grave, self.now)

    @precondition(lambda self: self.letters)
    @rule(data=st.data())
    def discard(self, data: st.DataObject) -> None:
        self._discard(data.draw(st.sampled_from(self.letters)))

    def _discard(self, letter: Letter) -> None:
        is_held = letter.state(self.now) == "leased"
        queue, message_id = self._queue_of(letter), self._id_of(letter)
        assert trash.discard(queue, [message_id], by="ada", now=self.now) == int(not is_held)
        if not is_held:
            letter.queue.discard(letter)
            self.letters.remove(letter)
            self.trash[message_id] = letter

    @precondition(lambda self: self.trash)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        message_id = data.draw(st.sampled_from(list(self.trash)))
        letter = self.trash.pop(message_id)
        assert trash.restore(self._queue_of(letter), [message_id], self.now) == 1
        letter.queue.restore(letter, self.now)
        self.letters.append(letter)

    @precondition(lambda self: self.grave.letters)
    @rule(limit=st.one_of(st.none(), st.integers(1, 3)))
    def redrive(self, limit: int | None) -> None:
        self._run_duties()
        idle = [letter for letter in self.grave.letters if letter.state(self.now) != "leased"]
        wanted = sorted((letter for letter in idle if letter.redrives < 3), key=lambda letter: letter.place)[
            :limit
        ]
        task = redrive.start(self.dlq, limit=limit, now=self.now)
        assert task.matched == len(wanted)
        self._run_duties()
        for letter in wanted:
            self.grave.revive(letter, self.box, self.now)

    # --- what must be true -------------------------------------------------------------------------

    @invariant()
    def they_agree(self) -> None:
        assert self._picture(self.queue) == self.box.picture(self.now)
        assert self._picture(self.dlq) == self.grave.picture(self.now)

    @invariant()
    def every_message_is_somewhere(self) -> None:
        live = Message.objects.filter(queue_id__in=[self.queue.pk, self.dlq.pk]).count()
        acked = MessageLog.objects.filter(queue_id__in=[self.queue.pk, self.dlq.pk], outcome="acked").count()
        discarded = len(trash.trash_of(self.queue)) + len(trash.trash_of(self.dlq))
        assert (live, acked, discarded) == (len(self.letters), self.finished, len(self.trash))

    # --- how ---------------------------------------------------------------------------------------

    def _any_handle(self, data: st.DataObject) -> tuple[Letter, str, type[QueueError] | None]:
        """Some handle that was ever given out, and what using it must be answered with."""
        letter = data.draw(st.sampled_from([letter for letter in self.letters if letter.handles]))
        handle = data.draw(st.sampled_from(letter.handles))
        return letter, handle, None if letter.queue.holds(letter, handle, self.now) else self.stale

    def _hand_over(self, deliveries: list[Delivery], letters: list[Letter]) -> None:
        assert [delivery.data for delivery in deliveries] == [letter.data for letter in letters]
        for delivery, letter in zip(deliveries, letters, strict=True):
            letter.handles.append(delivery.receipt_handle)
            letter.held = True
            assert delivery.delivery_count == letter.deliveries

    def _run_duties(self) -> None:
        for duty in DUTIES:
            if duty.name != "log_partitions":
                duty.run_once(duty.batch, self.now)
        self.box.settle(self.now)
        self.grave.settle(self.now)

    def _queue_of(self, letter: Letter) -> Queue:
        return self.dlq if letter.queue is self.grave else self.queue

    def _id_of(self, letter: Letter) -> str:
        return Message.objects.get(queue_id=self._queue_of(letter).pk, data=letter.data).public_id

    def _forget(self, letter: Letter) -> None:
        letter.queue.letters.remove(letter)
        self.letters.remove(letter)
        self.finished += 1

    def _picture(self, queue: Queue) -> set[tuple[str, str, int]]:
        return {
            (message.data, look.state_of(message, self.now), message.delivery_count)
            for message in look.browse(queue, now=self.now)
        }


@pytest.mark.django_db
def test_a_queue_does_what_its_model_does() -> None:
    run_state_machine_as_test(
        QueueMachine,
        settings=HISTORIES,
    )


def test_the_model_itself_lets_messages_die_and_come_back() -> None:
    """The model is code too."""
    now = datetime.now().astimezone()
    grave = Box()
    box = Box(1, grave)
    letter = Letter("x", 0, 0, now, box)
    box.send(letter)
    assert box.receive(1, 0, now) == [letter]
    assert box.receive(1, 0, now) == []
    assert grave.letters == [letter]
    grave.revive(letter, box, now)
    assert (box.letters, letter.deliveries) == ([letter], 0)
