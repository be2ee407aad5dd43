from datetime import datetime, timedelta
from typing import Any

import pytest

from queues.errors import QueueFull
from queues.models import Message, MessageLog, Queue, QueueSlot, RedriveTask
from queues.operations import queues, redrive
from queues.operations.receive import receive
from queues.operations.redrive_run import Progress, advance
from tests.factories import NOW, after, dead_letter, new_queue, ready_message, reloaded
from tests.queues.operations.redrives import BATCH, LATER, data_in, edit, run, start, three_dead_letters

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Queue:
    return new_queue(name="orders", max_deliveries=1)


@pytest.fixture
def dlq(source: Queue) -> Queue:
    return three_dead_letters(source)


class TestAdvance:
    def test_it_leaves_what_a_consumer_holds(self, dlq: Queue) -> None:
        receive(dlq, visibility_timeout=600, now=LATER)
        task = run(start(dlq))
        assert (task.moved, task.skipped) == (2, {"leased": 1})
        assert data_in(dlq) == ["one"]

    def test_it_takes_what_a_consumer_held_too_long(self, dlq: Queue) -> None:
        receive(dlq, visibility_timeout=30, now=NOW)
        assert run(start(dlq)).moved == 3

    def test_it_leaves_what_has_nowhere_to_go(self, source: Queue, dlq: Queue) -> None:
        task = start(dlq)
        queues.delete(source)
        task = run(task)
        assert (task.status, task.moved, task.skipped) == ("completed", 0, {"source_deleted": 3})

    def test_it_waits_for_room_in_a_full_target_and_then_goes_on(self, dlq: Queue) -> None:
        target = new_queue(dlq.team, name="narrow", queue_size=2)
        task = run(start(dlq, target=target))
        assert (task.status, task.moved, task.skipped) == ("running", 2, {})
        assert task.reason == "Waiting for room in narrow."
        queues.purge(target)
        task = run(task)
        assert (task.status, task.moved, task.reason) == ("completed", 3, "")
        assert QueueSlot.objects.free(target) == 1

    def test_it_lets_others_pass_while_one_target_is_full(self, dlq: Queue) -> None:
        Message.objects.filter(queue_id=dlq.pk, data="one").update(redrive_count=9)
        wide = new_queue(dlq.team, dlq=dlq, max_deliveries=1)
        narrow = new_queue(dlq.team, dlq=dlq, max_deliveries=1, queue_size=1)
        for queue, data in ((narrow, "four"), (narrow, "five"), (wide, "six")):
            dead_letter(queue, data)
        Message.objects.filter(queue_id=dlq.pk, data="six").update(redrive_count=0)
        task = run(start(dlq))
        assert (task.status, task.moved, task.skipped) == ("running", 4, {"redriven_too_often": 1})
        assert data_in(wide) == ["six"]
        queues.purge(narrow)
        task = run(task)
        assert (task.status, task.moved, task.skipped) == ("completed", 5, {"redriven_too_often": 1})
        assert data_in(dlq) == ["one"]

    def test_it_keeps_to_its_rate(self, dlq: Queue) -> None:
        Message.objects.bulk_create(
            Message(
                queue_id=dlq.pk,
                size_bytes=1,
                data="x",
                dead_lettered_at=NOW,
                source_queue_id=Message.objects.filter(queue_id=dlq.pk).first().source_queue_id,  # type: ignore[union-attr]
            )
            for _ in range(97)
        )
        task = start(dlq, max_messages_per_second=10)
        moved = [
            advance(task.pk, BATCH, LATER + timedelta(seconds=seconds)).moved
            for seconds in (0, 0.05, 0.5, 1.0, 1.5, 2.0)
        ]
        assert moved == [1, 0, 5, 5, 5, 5]

    def test_it_does_not_rush_after_a_pause(self, dlq: Queue) -> None:
        task = start(dlq, max_messages_per_second=2)
        assert advance(task.pk, BATCH, after(hours=5)).moved == 2
        assert advance(task.pk, BATCH, after(hours=5)).moved == 0

    def test_it_moves_a_batch_at_a_time_in_order(self, source: Queue, dlq: Queue) -> None:
        task = start(dlq)
        assert advance(task.pk, 2, LATER) == Progress(moved=2, idle=False)
        assert data_in(source) == ["one", "two"]

    def test_it_passes_over_long_stretches_in_which_nothing_matches(
        self, dlq: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("queues.operations.redrive_run.LOOK_AHEAD", 1)
        edit(dlq, "three", fingerprint="f")
        task = start(dlq, filter={"fingerprint": "f"})
        assert [advance(task.pk, BATCH, LATER) for _ in range(2)] == [Progress(0, idle=False)] * 2
        assert run(task).moved == 1

    def test_it_fails_when_its_target_is_deleted(self, dlq: Queue) -> None:
        target = new_queue(dlq.team)
        task = start(dlq, target=target)
        queues.delete(target)
        task = run(task)
        assert (task.status, task.reason) == ("failed", "The target queue was deleted.")
        assert len(data_in(dlq)) == 3

    def test_it_fails_when_the_dead_letter_queue_is_deleted(self, dlq: Queue) -> None:
        task = start(dlq)
        queues.delete(dlq)
        assert run(task).status == "failed"

    def test_it_takes_nothing_that_comes_back_meanwhile(self, source: Queue, dlq: Queue) -> None:
        task = start(dlq)
        advance(task.pk, 2, LATER)
        die_again(source, after(minutes=2))
        task = run(task, after(minutes=3))
        assert (task.status, task.moved) == ("completed", 3)
        assert data_in(dlq) == ["one", "two"]


def die_again(source: Queue, now: datetime) -> None:
    while receive(source, 100, visibility_timeout=0, now=now):
        pass


class TestCanary:
    LADDER = {"steps": [1, 1], "max_return_ratio": 0.4, "watch_seconds": 60}

    def test_it_watches_each_step_before_the_next(self, source: Queue, dlq: Queue) -> None:
        task = run(start(dlq, canary=self.LADDER))
        assert (task.status, task.moved, task.step) == ("running", 1, 0)
        assert run(task, after(minutes=1, seconds=59)).moved == 1
        assert run(task, after(minutes=2)).moved == 2
        task = run(task, after(minutes=3))
        assert (task.status, task.moved, task.step) == ("completed", 3, 2)

    def test_it_goes_on_as_soon_as_nothing_is_left_to_watch(self, source: Queue, dlq: Queue) -> None:
        task = run(start(dlq, canary=self.LADDER))
        queues.purge(source)
        assert run(task).moved == 2

    def test_it_stops_when_too_many_come_back_dead(self, source: Queue, dlq: Queue) -> None:
        task = run(start(dlq, canary=self.LADDER))
        die_again(source, LATER)
        task = run(task)
        assert (task.status, task.reason) == ("stopped", "1 of 1 redriven messages came back dead.")
        assert (task.moved, sorted(data_in(dlq))) == (1, ["one", "three", "two"])

    def test_it_stops_later_too(self, source: Queue, dlq: Queue) -> None:
        ladder = {"steps": [1, 1], "max_return_ratio": 0.5}
        task = run(start(dlq, canary=ladder))
        queues.purge(source)
        task = run(task)
        die_again(source, LATER)
        task = run(task)  # one of two came back: just bearable, so the rest goes
        assert (task.status, task.moved) == ("completed", 3)

    def test_it_sees_them_in_the_target_s_own_dead_letter_queue(self, dlq: Queue) -> None:
        target = new_queue(dlq.team, max_deliveries=1)
        task = run(start(dlq, target=target, canary=self.LADDER))
        die_again(target, LATER)
        assert run(task).status == "stopped"
        assert reloaded(target).dlq != dlq

    def test_it_sees_them_where_the_source_sends_its_dead_by_now(self, source: Queue, dlq: Queue) -> None:
        other = new_queue(dlq.team)
        queues.update(reloaded(source), dlq=other)
        task = run(start(dlq, canary={"steps": [2, 3]}))
        die_again(reloaded(source), LATER)
        task = run(task)
        assert (task.status, task.reason) == ("stopped", "2 of 2 redriven messages came back dead.")
        assert (data_in(other), data_in(dlq)) == (["one", "two"], ["three"])

    def test_it_finishes_when_there_are_fewer_messages_than_the_ladder_has(self, dlq: Queue) -> None:
        assert run(start(dlq, canary={"steps": [10]})).status == "completed"


class TestCancel:
    def test_what_moved_stays_moved(self, source: Queue, dlq: Queue) -> None:
        task = start(dlq)
        advance(task.pk, 1, LATER)
        task = redrive.cancel(task, LATER)
        assert (task.status, task.moved, task.finished_at) == ("cancelled", 1, LATER)
        assert run(task).moved == 1
        assert (data_in(source), data_in(dlq)) == (["one"], ["two", "three"])

    def test_it_leaves_one_that_is_over_as_it_is(self, dlq: Queue) -> None:
        assert redrive.cancel(run(start(dlq))).status == "completed"

    def test_it_makes_way_for_another(self, dlq: Queue) -> None:
        redrive.cancel(start(dlq))
        assert run(start(dlq)).moved == 3


class TestUndo:
    def dead(self, dlq: Queue) -> list[dict[str, Any]]:
        kept = set(Message._meta.get_fields()) - {"history"}
        rows = Message.objects.filter(queue_id=dlq.pk).order_by("id")
        names = [field.name for field in kept if field.name not in ("history", "visible_at")]
        return list(rows.values(*names))

    def test_it_brings_them_back_as_they_were(self, source: Queue, dlq: Queue) -> None:
        before = self.dead(dlq)
        task = run(start(dlq))
        assert redrive.undo(task, after(minutes=2)) == 3
        assert self.dead(dlq) == before
        assert data_in(source) == []
        assert RedriveTask.objects.get().undone == 3

    def test_it_leaves_what_somebody_received(self, source: Queue, dlq: Queue) -> None:
        task = run(start(dlq))
        receive(source, visibility_timeout=0, now=LATER)
        assert redrive.undo(task, LATER) == 2
        assert data_in(source) == ["one"]

    def test_it_leaves_what_came_back_and_was_requeued_by_hand(self, source: Queue, dlq: Queue) -> None:
        from queues.operations.dead_letters import requeue

        task = run(start(dlq))
        die_again(source, LATER)
        requeue(dlq, Message.objects.filter(data="one").get().public_id, LATER)
        assert redrive.undo(task, LATER) == 0

    def test_it_cancels_one_that_runs(self, dlq: Queue) -> None:
        task = start(dlq)
        advance(task.pk, 1, LATER)
        assert redrive.undo(task, LATER) == 1
        assert RedriveTask.objects.get().status == "cancelled"

    def test_it_moves_the_places_back_and_logs_it(self) -> None:
        source = new_queue(max_deliveries=1, queue_size=5)
        dlq = dead_letter(source)
        redrive.undo(run(start(dlq)), LATER)
        assert (QueueSlot.objects.free(source), QueueSlot.objects.free(dlq)) == (5, 4)
        ends = MessageLog.objects.filter(outcome="redriven").values_list("queue_id", flat=True)
        assert sorted(ends) == sorted([dlq.pk, source.pk])

    def test_it_says_when_there_is_no_room_among_the_dead(self) -> None:
        source = new_queue(max_deliveries=1, queue_size=1)
        dlq = dead_letter(source)
        task = run(start(dlq))
        ready_message(dlq)
        with pytest.raises(QueueFull):
            redrive.undo(task, LATER)

    def test_it_can_be_redriven_again(self, dlq: Queue) -> None:
        redrive.undo(run(start(dlq)), LATER)
        assert run(start(dlq)).moved == 3
