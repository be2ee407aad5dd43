"""Whatever happens, in whatever order and whenever it is folded: groups are what a count of all rows says."""

from contextlib import suppress
from datetime import timedelta

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

from queues import ids
from queues.errors import QueueError
from queues.maintenance import DUTIES
from queues.maintenance import error_groups as folding
from queues.maintenance import old_error_groups as forgetting
from queues.models import DiscardedMessage, Message, RedriveTask
from queues.operations import error_groups, queues, redrive, redrive_run, trash
from queues.operations.ack import ack
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.edit import edit_and_requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage
from tests.factories import new_team
from tests.queues.dying import counted, really_there

OWN = {"type": "C", "message": "", "fingerprint": "'%s"}
ERRORS = st.sampled_from([None, {"type": "A", "message": ""}, {"type": "B", "message": "b"}, OWN])
BODIES = st.sampled_from(["", "{}", '{"order": 1}', "[" * 3_000])


class GroupMachine(RuleBasedStateMachine):
    @initialize(bounded=st.booleans())
    def begin(self, bounded: bool) -> None:
        team = new_team()
        self.dlq = queues.create(team, name="dead", queue_size=6 if bounded else None)[0]
        sources = [
            queues.create(team, name=name, dlq=self.dlq, max_deliveries=1, allow_edit=True)[0]
            for name in ("one", "two")
        ]
        self.queues = [*sources, queues.find(team, self.dlq.public_id)]
        self.dlq = self.queues[-1]
        self.now = timezone.now()

    # --- what can happen ---------------------------------------------------------------------------

    @rule(place=st.integers(0, 2), body=BODIES)
    def send(self, place: int, body: str) -> None:
        with suppress(QueueError):  # the dead-letter queue may be full
            send(self.queues[place], NewMessage(body), self.now)

    @rule(place=st.integers(0, 1), body=BODIES, error=ERRORS)
    def die(self, place: int, body: str, error: dict[str, str] | None) -> None:
        send(self.queues[place], NewMessage(body), self.now)
        self._fail(place, error)

    @rule(place=st.integers(0, 2), error=ERRORS)
    def fail(self, place: int, error: dict[str, str] | None) -> None:
        self._fail(place, error)

    @rule(place=st.integers(0, 2), acks=st.booleans())
    def receive(self, place: int, acks: bool) -> None:
        deliveries = receive(self.queues[place], 2, 5, self.now)
        if acks and deliveries:
            ack(self.queues[place], [delivery.receipt_handle for delivery in deliveries], self.now)

    @precondition(lambda self: self._messages())
    @rule(data=st.data(), deed=st.sampled_from(["requeue", "undo", "edit"]))
    def do_to_a_letter(self, data: st.DataObject, deed: str) -> None:
        message_id = data.draw(st.sampled_from(self._messages()))
        with suppress(QueueError):
            if deed == "requeue":
                requeue(self.dlq, message_id, self.now)
            elif deed == "undo":
                undo_requeue(self.dlq, message_id, self.now)
            else:
                edit_and_requeue(self.dlq, message_id, data="{}", by="ada", now=self.now)

    @rule(data=st.data(), place=st.integers(0, 2))
    def discard(self, data: st.DataObject, place: int) -> None:
        if messages := self._messages(place):
            chosen = data.draw(st.lists(st.sampled_from(messages), min_size=1, max_size=4))
            trash.discard(self.queues[place], chosen, by="ada", now=self.now)

    @precondition(lambda self: DiscardedMessage.objects.exists())
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        place = {queue.pk: queue for queue in self.queues}
        rows = [row for row in DiscardedMessage.objects.order_by("id") if row.queue_id in place]
        if rows:
            row = data.draw(st.sampled_from(rows))
            with suppress(QueueError):
                trash.restore(place[row.queue_id], [row.public_id], self.now)

    @rule(limit=st.one_of(st.none(), st.integers(1, 3)), undo=st.booleans())
    def redrive(self, limit: int | None, undo: bool) -> None:
        with suppress(QueueError):
            task = redrive.start(self.dlq, limit=limit, now=self.now)
            redrive_run.advance(task.pk, 2, self.now)
            if undo:
                redrive.undo(task, self.now)

    @precondition(lambda self: RedriveTask.objects.filter(dlq=self.dlq).exists())
    @rule()
    def undo_an_earlier_redrive(self) -> None:
        with suppress(QueueError):
            redrive.undo(RedriveTask.objects.filter(dlq=self.dlq).latest("pk"), self.now)

    @rule(place=st.integers(0, 2))
    def purge(self, place: int) -> None:
        queues.purge(self.queues[place])

    @rule(days=st.sampled_from([0.0001, 0.1, 3, 13, 31]))
    def wait(self, days: float) -> None:
        self.now += timedelta(days=days)

    @rule(batch=st.integers(1, 5))
    def fold(self, batch: int) -> None:
        folding.run_once(batch)

    @rule()
    def forget(self) -> None:
        forgetting.run_once(1, self.now)

    @rule()
    def do_all_duties(self) -> None:
        for duty in DUTIES:
            if duty.name not in ("log_partitions", "old_error_groups"):
                duty.run_once(duty.batch, self.now)

    # --- what must be true -------------------------------------------------------------------------

    @invariant()
    def every_dead_letter_is_counted(self) -> None:
        assert counted(self.dlq) == really_there(self.dlq)
        assert error_groups.dead_count(self.dlq) == sum(really_there(self.dlq).values())

    @invariant()
    def every_group_has_a_title(self) -> None:
        assert all(group.title not in ("", "No error reported") for group in error_groups.groups(self.dlq))

    # --- how ---------------------------------------------------------------------------------------

    def _fail(self, place: int, error: dict[str, str] | None) -> None:
        for delivery in receive(self.queues[place], 1, 5, self.now):
            nack(self.queues[place], delivery.message_id, delivery.receipt_handle, error=error, now=self.now)

    def _messages(self, *places: int) -> list[str]:
        wanted = [self.queues[place].pk for place in places] or [queue.pk for queue in self.queues]
        rows = Message.objects.filter(queue_id__in=wanted).order_by("id").values_list("id", flat=True)
        return [ids.message_id(uid) for uid in rows]


@pytest.mark.django_db
def test_groups_are_what_a_count_of_all_rows_says() -> None:
    run_state_machine_as_test(
        GroupMachine,
        settings=settings(
            max_examples=30,
            stateful_step_count=40,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
