"""The same random histories for a FIFO queue and its dead-letter queue.

Which group is served first is the queue's own business; which of its messages, and that nothing is held back
which could be delivered, is not.
"""

from datetime import timedelta
from itertools import groupby

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from queues.errors import LeaseOver
from queues.models import Queue
from queues.operations import queues
from queues.operations.ack import ack
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send_one
from queues.values import NewMessage
from tests.queues.model import Letter, Line
from tests.queues.test_against_model import HISTORIES, MAX_DELIVERIES, SECONDS, QueueMachine


class FifoMachine(QueueMachine):
    mode = "fifo"
    stale = LeaseOver
    new_box = Line

    @rule(groups=st.text("ab", min_size=1, max_size=4))
    def send(self, groups: str) -> None:
        for group in groups:
            place = next(self.numbers)
            data = f"message {place}"
            send_one(self.queue, NewMessage(data, group_id=group), self.now)
            visible_at = self.now + timedelta(seconds=self.queue.delay_seconds)
            letter = Letter(data, 0, place, visible_at, self.box, group=group)
            self.box.send(letter)
            self.letters.append(letter)

    @rule(seconds=SECONDS)
    def change_the_delay(self, seconds: int) -> None:
        self.queue = queues.update(self.queue, delay_seconds=seconds)

    @rule(limit=st.integers(1, 6), timeout=SECONDS, dead=st.booleans())
    def receive(self, limit: int, timeout: int, dead: bool) -> None:
        queue, box = (self.dlq, self.grave) if dead else (self.queue, self.box)
        self._receive(queue, box, limit, timeout)

    @rule(limit=st.integers(1, 3), acked=st.booleans())
    def work(self, limit: int, acked: bool) -> None:
        """A consumer takes messages and finishes them, or gives them back, at once."""
        for letter in self._receive(self.queue, self.box, limit, 30):
            if acked:
                ack(self.queue, [letter.handles[-1]], self.now)
                self._forget(letter)
            else:
                nack(self.queue, self._id_of(letter), letter.handles[-1], delay_seconds=5, now=self.now)
                self.box.nack(letter, 5, self.now)

    def _receive(self, queue: Queue, box: Line, limit: int, timeout: int) -> list[Letter]:
        deliverable = box.deliverable(self.now)
        deliveries = receive(queue, limit, timeout, self.now)
        assert len(deliveries) == min(limit, sum(map(len, deliverable.values())))
        served = []
        for group, some in groupby(deliveries, key=lambda delivery: delivery.group_id):
            line = deliverable.pop(group)  # each group once
            served += line[: len(list(some))]
        for letter in served:
            box.lease(letter, timeout, self.now)
        self._hand_over(deliveries, served)
        return served

    @precondition(lambda self: self._discardable())
    @rule(data=st.data())
    def discard(self, data: st.DataObject) -> None:
        self._discard(data.draw(st.sampled_from(self._discardable())))

    def _discardable(self) -> list[Letter]:
        """Not one whose last lease is over: brought back, it dies when the line has come to it."""
        return [letter for letter in self.letters if letter.queue is self.grave or not self._is_over(letter)]

    def _is_over(self, letter: Letter) -> bool:
        return letter.deliveries == MAX_DELIVERIES and letter.state(self.now) != "leased"


@pytest.mark.django_db
def test_a_fifo_queue_does_what_its_model_does() -> None:
    run_state_machine_as_test(FifoMachine, settings=settings(HISTORIES, max_examples=40))
