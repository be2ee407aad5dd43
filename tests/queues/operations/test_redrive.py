from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from queues.errors import Invalid, QueueNotFound, RedriveActive, RedriveNotFound, RedriveTooLarge
from queues.models import Message, MessageLog, Queue, QueueSlot, RedriveTask
from queues.operations import queues, redrive, redrive_plan
from queues.operations.receive import receive
from queues.operations.redrive_run import advance
from tests.factories import after, data_of, dead_letter, new_queue, new_team, ready_message
from tests.queues.operations.redrives import LATER, data_in, edit, run, start, three_dead_letters

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Queue:
    return new_queue(name="orders", max_deliveries=1)


@pytest.fixture
def dlq(source: Queue) -> Queue:
    return three_dead_letters(source)


class TestPlan:
    def test_it_counts_what_goes_where_and_moves_nothing(self, source: Queue, dlq: Queue) -> None:
        plan = redrive.plan(dlq, now=LATER)
        assert (plan.matched, plan.targets, plan.blocked) == (3, [(source, 3)], [])
        assert plan.movable == 3
        assert data_in(dlq) == ["one", "two", "three"]

    def test_it_says_what_stays_and_why(self, dlq: Queue) -> None:
        receive(dlq, visibility_timeout=600, now=LATER)
        edit(dlq, "two", redrive_count=3)
        gone = new_queue(dlq.team, dlq=dlq, max_deliveries=1)
        dead_letter(gone, "four")
        queues.delete(gone)
        plan = redrive.plan(dlq, now=LATER)
        assert plan.blocked == [("leased", 1), ("redriven_too_often", 1), ("source_deleted", 1)]
        assert (plan.matched, plan.movable) == (4, 1)

    def test_it_needs_no_source_when_a_target_is_named(self, source: Queue, dlq: Queue) -> None:
        queues.delete(source)
        other = new_queue(dlq.team)
        assert redrive.plan(dlq, target=other, now=LATER).targets == [(other, 3)]

    def test_it_counts_as_far_as_the_limit_goes(self, source: Queue, dlq: Queue) -> None:
        edit(dlq, "one", redrive_count=9)
        plan = redrive.plan(dlq, limit=1, now=LATER)
        assert (plan.matched, plan.targets, plan.blocked) == (
            2,
            [(source, 1)],
            [("redriven_too_often", 1)],
        )

    def test_it_is_what_then_happens_whatever_dies_meanwhile(self, source: Queue, dlq: Queue) -> None:
        plan = redrive.plan(dlq, now=LATER)
        dead_letter(source, "four", now=after(minutes=2))
        task = run(start(dlq, cut_off=plan.cut_off, now=after(minutes=3)), after(minutes=3))
        assert (task.matched, task.moved) == (3, plan.movable)
        assert data_in(dlq) == ["four"]

    def test_it_gives_up_counting_after_a_while(self, dlq: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(redrive_plan, "PATIENCE_SECONDS", 0.001)
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO message (queue_id, size_bytes, data, dead_lettered_at, source_queue_id)"
                " SELECT %s, 1, 'x', now(), n FROM generate_series(1, 20000) AS n",
                [dlq.pk],
            )
        with pytest.raises(RedriveTooLarge):
            redrive.plan(dlq)
        assert Message.objects.count() == 20_003  # the connection goes on as before


class TestStart:
    def test_it_moves_everything_back_to_be_tried_afresh(self, source: Queue, dlq: Queue) -> None:
        task = start(dlq)
        assert (task.status, task.matched, task.moved) == ("running", 3, 0)
        task = run(task)
        assert (task.status, task.moved, task.skipped, task.finished_at) == ("completed", 3, {}, LATER)
        deliveries = receive(source, 5, now=LATER)
        assert data_of(deliveries) == ["one", "two", "three"]
        assert {(d.delivery_count, d.redrive_count, d.dead_lettered_at) for d in deliveries} == {(1, 1, None)}
        assert data_in(dlq) == []

    def test_it_is_finished_at_once_when_nothing_matches(self, dlq: Queue) -> None:
        task = start(dlq, filter={"fingerprint": "none"})
        assert (task.status, task.matched, task.finished_at) == ("completed", 0, LATER)

    def test_it_is_finished_at_once_in_a_queue_that_holds_no_dead_letters(self) -> None:
        queue = new_queue()
        ready_message(queue)
        assert start(queue).status == "completed"

    def test_it_leaves_what_was_sent_to_the_queue(self, source: Queue, dlq: Queue) -> None:
        ready_message(dlq, "sent here")
        assert run(start(dlq)).moved == 3
        assert data_in(dlq) == ["sent here"]

    def test_it_sends_each_message_to_the_queue_it_died_in(self, source: Queue, dlq: Queue) -> None:
        other = new_queue(dlq.team, dlq=dlq, max_deliveries=1)
        dead_letter(other, "four")
        assert run(start(dlq)).moved == 4
        assert (data_in(source), data_in(other)) == (["one", "two", "three"], ["four"])

    def test_it_sends_all_to_the_target_that_is_named(self, dlq: Queue) -> None:
        target = new_queue(dlq.team)
        run(start(dlq, target=target))
        assert len(data_in(target)) == 3

    def test_it_gives_the_rank_of_the_target(self, dlq: Queue) -> None:
        target = new_queue(dlq.team, priority_aging_seconds=60)
        run(start(dlq, target=target))
        assert Message.objects.filter(queue_id=target.pk, rank__gt=0).count() == 3

    def test_it_logs_the_stays_among_the_dead(self, dlq: Queue) -> None:
        task = run(start(dlq))
        rows = MessageLog.objects.filter(outcome="redriven")
        assert {(row.queue_id, row.redrive_id, row.finished_at) for row in rows} == {(dlq.pk, task.pk, LATER)}
        assert rows.count() == 3

    def test_it_keeps_what_they_were_in_their_history(self, source: Queue, dlq: Queue) -> None:
        run(start(dlq, requested_by="alice"))
        last = Message.objects.filter(queue_id=source.pk).first().history[-1]  # type: ignore[union-attr, index]
        assert (last["event"], last["from"], last["to"]) == ("redriven", dlq.pk, source.pk)
        assert (last["requested_by"], last["was"]["delivery_count"]) == ("alice", 1)

    def test_it_moves_the_places_along(self) -> None:
        source = new_queue(max_deliveries=1, queue_size=5)
        dlq = dead_letter(source)
        run(start(dlq))
        assert (QueueSlot.objects.free(source), QueueSlot.objects.free(dlq)) == (4, 5)

    def test_it_moves_no_more_than_the_limit(self, dlq: Queue) -> None:
        task = start(dlq, limit=2)
        assert task.matched == 2
        task = run(task)
        assert (task.status, task.moved) == ("completed", 2)
        assert data_in(dlq) == ["three"]

    def test_it_refuses_a_second_one_on_the_same_queue(self, dlq: Queue) -> None:
        run(start(dlq, limit=1))
        start(dlq)
        with pytest.raises(RedriveActive):
            start(dlq)

    def test_it_refuses_when_the_queue_is_deleted(self, dlq: Queue) -> None:
        queues.delete(dlq)
        with pytest.raises(QueueNotFound):
            start(dlq)

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"limit": 0}, "limit"),
            ({"max_messages_per_second": 0}, "max_messages_per_second"),
            ({"filter": {"colour": "red"}}, "filter.colour"),
            ({"filter": {"fingerprint": 5}}, "filter.fingerprint"),
            ({"filter": {"fingerprint": "x" * 65}}, "filter.fingerprint"),
            ({"filter": {"error_type": "\x00"}}, "filter.error_type"),
            ({"filter": {"attribute": {}}}, "filter.attribute"),
            ({"filter": {"attribute": {"k": [1]}}}, "filter.attribute"),
            ({"filter": {"dead_lettered_before": "yesterday"}}, "filter.dead_lettered_before"),
            ({"filter": {"dead_lettered_after": "2030-13-01T00:00:00Z"}}, "filter.dead_lettered_after"),
            ({"filter": {"message_ids": []}}, "filter.message_ids"),
            ({"filter": {"message_ids": ["msg_x"]}}, "filter.message_ids"),
            ({"filter": {"max_redrive_count": -1}}, "filter.max_redrive_count"),
            ({"filter": {"max_redrive_count": True}}, "filter.max_redrive_count"),
            ({"canary": {}}, "canary.steps"),
            ({"canary": {"steps": []}}, "canary.steps"),
            ({"canary": {"steps": [0]}}, "canary.steps"),
            ({"canary": {"steps": [True]}}, "canary.steps"),
            ({"canary": {"steps": [1], "max_return_ratio": 2}}, "canary.max_return_ratio"),
            ({"canary": {"steps": [1], "watch_seconds": "long"}}, "canary.watch_seconds"),
            ({"canary": {"steps": [1], "bird": 1}}, "canary.bird"),
        ],
    )
    def test_it_names_the_field_that_is_wrong(self, dlq: Queue, options: dict[str, Any], field: str) -> None:
        with pytest.raises(Invalid) as refusal:
            start(dlq, **options)
        assert refusal.value.field == field
        assert not RedriveTask.objects.exists()

    def test_it_refuses_targets_that_cannot_be(self, dlq: Queue) -> None:
        deleted = new_queue(dlq.team)
        queues.delete(deleted)
        deleted.refresh_from_db()
        for target in (dlq, new_queue(new_team()), deleted):
            with pytest.raises(Invalid):
                start(dlq, target=target)


class TestFilter:
    @pytest.mark.parametrize(
        ("filter", "fields"),
        [
            ({"fingerprint": "f1"}, {"fingerprint": "f1"}),
            ({"error_type": "Timeout"}, {"error_type": "Timeout"}),
            ({"group_id": "acme"}, {"group_id": "acme"}),
            ({"attribute": {"n": 1}}, {"attributes": {"n": 1, "m": "x"}}),
            ({"dead_lettered_before": after(minutes=-1)}, {"dead_lettered_at": after(minutes=-2)}),
            ({"dead_lettered_after": after(seconds=1)}, {"dead_lettered_at": after(seconds=2)}),
            ({"dead_lettered_after": after(seconds=1).isoformat()}, {"dead_lettered_at": after(seconds=2)}),
            ({"max_redrive_count": 0}, {}),
            ({"fingerprint": None, "max_redrive_count": 0}, {}),
        ],
    )
    def test_it_takes_what_matches(self, dlq: Queue, filter: dict[str, Any], fields: dict[str, Any]) -> None:
        Message.objects.update(redrive_count=1)
        edit(dlq, "two", redrive_count=0, **fields)
        assert redrive.plan(dlq, filter=filter, now=LATER).matched == 1
        run(start(dlq, filter=filter))
        assert data_in(dlq) == ["one", "three"]

    def test_it_takes_the_messages_that_are_named(self, dlq: Queue) -> None:
        named = [m.public_id for m in Message.objects.filter(queue_id=dlq.pk, data__in=["one", "three"])]
        task = run(start(dlq, filter={"message_ids": named}))
        assert (task.matched, task.moved) == (2, 2)
        assert data_in(dlq) == ["two"]


class TestLoopGuard:
    def test_it_leaves_out_what_comes_back_every_time(self, dlq: Queue) -> None:
        edit(dlq, "two", redrive_count=3)
        task = run(start(dlq))
        assert (task.matched, task.moved, task.skipped) == (3, 2, {"redriven_too_often": 1})
        assert data_in(dlq) == ["two"]

    def test_it_takes_it_along_when_asked_to(self, dlq: Queue) -> None:
        edit(dlq, "two", redrive_count=3)
        assert run(start(dlq, filter={"max_redrive_count": 3})).moved == 3


class TestFind:
    def test_it_finds_a_redrive_of_this_queue_only(self, dlq: Queue) -> None:
        task = start(dlq)
        assert redrive.find(dlq, task.public_id) == task
        for queue, public_id in ((new_queue(), task.public_id), (dlq, "rd_x"), (dlq, "x")):
            with pytest.raises(RedriveNotFound):
                redrive.find(queue, public_id)


class TestEta:
    def test_it_goes_by_the_speed_so_far(self, dlq: Queue) -> None:
        task = start(dlq)
        assert redrive.eta_seconds(task, after(minutes=2)) is None
        advance(task.pk, 1, LATER)
        task.refresh_from_db()
        assert redrive.eta_seconds(task, LATER + timedelta(seconds=10)) == 20.0

    def test_it_goes_by_the_rate_before_anything_moved(self, dlq: Queue) -> None:
        assert redrive.eta_seconds(start(dlq, max_messages_per_second=1), LATER) == 3.0

    def test_it_is_none_when_it_is_over(self, dlq: Queue) -> None:
        assert redrive.eta_seconds(run(start(dlq))) is None
