"""Sending to a FIFO queue: every message gets its place in the line of its group."""

import pytest

from queues.errors import (
    Conflict,
    EarlierOneFailed,
    Invalid,
    QueueFull,
)
from queues.models import FifoGroup, Message
from queues.operations import queues
from queues.operations.send import send_batch, send_many, send_one
from queues.values import NewMessage, Refused, Stored
from tests.factories import NOW, fifo_queue, line_up, new_queue, received

pytestmark = pytest.mark.django_db


class TestSend:
    def test_it_answers_a_place_in_the_line(self):
        queue = fifo_queue()
        first, second = line_up(queue, "a1", "b1")
        assert first.sequence < second.sequence
        assert Message.objects.get(id=first.id).sequence == first.sequence

    def test_a_standard_queue_has_no_line(self):
        assert send_one(new_queue(), NewMessage("x", group_id="a")).sequence is None

    @pytest.mark.parametrize("settings", [{}, {"delay_seconds": 30}, {"queue_size": 5}], ids=str)
    def test_but_for_that_it_stores_what_a_standard_queue_would(self, settings):
        """Each has a statement of its own; here is what keeps them the same, column by column."""
        message = NewMessage(
            "x",
            attributes={"kind": "order"},
            group_id="acme",
            ttl_seconds=600,
            max_deliveries=9,
            trace_id="trace",
        )
        stored = send_one(fifo_queue(**settings), message, NOW)
        usual = send_one(new_queue(**settings), message, NOW)
        own = ("id", "queue_id", "ready_in", "parked_in", "sequence")
        in_line, beside = (Message.objects.filter(id=one.id).values().get() for one in (stored, usual))
        assert all(in_line[name] != beside[name] for name in ("id", "queue_id", "sequence"))
        assert {name: in_line[name] for name in in_line if name not in own} == {
            name: beside[name] for name in beside if name not in own
        }

    def test_a_batch_lines_up_in_the_order_given(self):
        queue = fifo_queue()
        sent = send_many(queue, [NewMessage(str(n), group_id="ab"[n % 2]) for n in range(100)])
        rows = Message.objects.filter(queue_id=queue.pk).order_by("sequence")
        assert list(rows.values_list("id", flat=True)) == sent

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({}, "group_id"),
            ({"group_id": ""}, "group_id"),
            ({"group_id": "a", "priority": 1}, "priority"),
            ({"group_id": "a", "delay_seconds": 1}, "delay_seconds"),
        ],
    )
    def test_it_refuses_what_would_break_the_order_and_names_it(self, fields, field):
        with pytest.raises(Invalid) as caught:
            send_one(fifo_queue(), NewMessage("x", **fields))
        assert caught.value.field == field

    def test_a_delay_of_nothing_is_none(self):
        queue = fifo_queue(delay_seconds=60)
        send_one(queue, NewMessage("at once", group_id="a", delay_seconds=0), NOW)
        assert received(queue) == ["at once"]

    def test_a_full_queue_takes_the_first_that_fit(self):
        queue = fifo_queue(queue_size=3)
        assert len(send_many(queue, [NewMessage("x", group_id="a")] * 5, NOW)) == 3
        with pytest.raises(QueueFull):
            line_up(queue, "a1")
        assert not FifoGroup.objects.exclude(group_id="a").exists()


class TestBatch:
    def test_later_ones_of_a_group_fail_with_a_bad_one(self):
        queue = fifo_queue()
        good, bad = NewMessage("x", group_id="a"), NewMessage("x", group_id="a", priority=1)
        other = NewMessage("x", group_id="b")
        results = send_batch(queue, [good, bad, other, good], NOW)
        assert [type(result) for result in results] == [Stored, Invalid, Stored, EarlierOneFailed]
        assert Message.objects.filter(queue_id=queue.pk).count() == 2

    def test_so_do_they_with_one_that_could_not_be_read(self):
        results = send_batch(
            fifo_queue(), [Refused(Invalid("no"), "a"), NewMessage("x", group_id="a"), Refused(Invalid("no"))]
        )
        assert [type(result) for result in results] == [Invalid, EarlierOneFailed, Invalid]

    def test_on_a_standard_queue_a_bad_one_fails_alone(self):
        bad, good = NewMessage("x", group_id="a", priority=999), NewMessage("x", group_id="a")
        results = send_batch(new_queue(), [bad, good])
        assert [type(result) for result in results] == [Invalid, Stored]


class TestSettings:
    def test_the_mode_is_fixed(self):
        with pytest.raises(Invalid) as caught:
            queues.update(fifo_queue(), mode="standard")
        assert caught.value.field == "mode"

    def test_it_knows_no_ageing(self):
        with pytest.raises(Invalid) as caught:
            fifo_queue(priority_aging_seconds=60)
        assert caught.value.field == "priority_aging_seconds"
        with pytest.raises(Invalid):
            queues.update(fifo_queue(), priority_aging_seconds=60)

    def test_its_dead_letter_queue_is_one_too(self):
        queue = fifo_queue()
        with pytest.raises(Invalid) as caught:
            queues.update(queue, dlq=new_queue(queue.team))
        assert caught.value.field == "dlq_id"

    def test_the_same_name_in_another_mode_is_another_queue(self):

        queue = fifo_queue()
        with pytest.raises(Conflict):
            new_queue(queue.team, name=queue.name)
