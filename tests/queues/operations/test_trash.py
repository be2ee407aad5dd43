import re
import uuid

import pytest

from queues import ids, limits
from queues.errors import Invalid, MessageNotFound, QueueFull, QueueNotFound
from queues.maintenance import trash as duty
from queues.managers.statements import load
from queues.models import DiscardedMessage, Message, MessageLog, Queue, QueueSlot, State
from queues.operations import look, queues, trash
from queues.operations.ack import ack
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send
from queues.operations.timeline import timeline
from queues.values import NewMessage
from tests.factories import (
    NOW,
    after,
    data_of,
    dead_letter,
    in_flight_message,
    new_queue,
    ready_message,
    ready_messages,
    reloaded,
)

pytestmark = pytest.mark.django_db
DAY = 86_400


def all_of(queue: Queue) -> list[str]:
    return [message.public_id for message in Message.objects.filter(queue_id=queue.pk).order_by("id")]


def discard(queue: Queue, now=NOW, **said) -> list[str]:
    """Everything in the queue; answers the ids."""
    message_ids = all_of(queue)
    trash.discard(queue, message_ids, by="ada", now=now, **said)
    return message_ids


def columns() -> dict[uuid.UUID, dict]:
    return {row["id"]: row for row in Message.objects.values()}


class TestDiscard:
    def test_it_takes_messages_out_of_the_queue_and_keeps_who_and_why(self):
        queue = new_queue()
        ready_message(queue)
        [message_id] = discard(queue, reason="a duplicate")
        [kept] = trash.trash_of(queue)
        assert (kept.public_id, kept.discarded_by, kept.reason) == (message_id, "ada", "a duplicate")
        assert (kept.discarded_at, kept.team_id, kept.size_bytes) == (NOW, queue.team_id, 5)
        assert receive(queue, now=NOW) == []

    def test_it_says_how_many_and_leaves_the_others(self):
        queue, other = new_queue(), new_queue()
        ready_messages(queue, "one", "two", "three")
        ready_message(other)
        wanted = [*all_of(queue)[:2], *all_of(other), "msg_nonsense"]
        assert trash.discard(queue, wanted, by="ada", now=NOW) == 2
        assert data_of(receive(queue, limit=5, now=NOW)) == ["three"]
        assert len(all_of(other)) == 1

    def test_it_leaves_a_message_that_a_consumer_holds(self):
        queue = new_queue(visibility_timeout=30)
        delivery = in_flight_message(queue)
        assert trash.discard(queue, [delivery.message_id], by="ada", now=after(seconds=29)) == 0
        assert ack(queue, [delivery.receipt_handle])[0].error is None

    def test_it_takes_one_whose_lease_is_over(self):
        queue = new_queue(visibility_timeout=30)
        delivery = in_flight_message(queue)
        assert trash.discard(queue, [delivery.message_id], by="ada", now=after(seconds=30)) == 1

    def test_it_leaves_an_expired_one_to_the_log(self):
        queue = new_queue()
        ready_message(queue)
        Message.objects.update(state=State.EXPIRED)
        assert trash.discard(queue, all_of(queue), by="ada", now=NOW) == 0

    def test_it_gives_back_the_places(self):
        queue = new_queue(queue_size=3)
        ready_messages(queue, "one", "two", "three")
        discard(queue)
        assert QueueSlot.objects.free(queue) == 3

    def test_it_logs_nothing_yet(self):
        queue = new_queue()
        ready_message(queue)
        discard(queue)
        assert not MessageLog.objects.exists()

    def test_it_keeps_it_as_long_as_the_queue_would_have(self):
        queue = new_queue(retention_seconds=4 * DAY)
        ready_message(queue)
        discard(queue, after(days=1))
        assert DiscardedMessage.objects.get().expires_at == after(days=4)

    def test_it_keeps_it_a_day_though_it_was_about_to_expire(self):
        queue = new_queue(retention_seconds=60)
        ready_message(queue)
        discard(queue, after(seconds=59))
        assert DiscardedMessage.objects.get().expires_at == after(days=1, seconds=59)

    def test_it_refuses_a_reason_that_is_too_long(self):
        with pytest.raises(Invalid):
            trash.discard(new_queue(), [], by="ada", reason="x" * (limits.AUDIT_REASON_LENGTH + 1))

    def test_it_is_counted_as_moved_out(self, django_capture_on_commit_callbacks, monkeypatch):
        told = []
        monkeypatch.setattr("queues.events._subscribers", [lambda name, facts: told.append((name, facts))])
        queue = new_queue()
        ready_message(queue)
        with django_capture_on_commit_callbacks(execute=True):
            [message_id] = discard(queue)
            trash.restore(queue, [message_id], NOW)
        assert [(name, facts["count"], facts["outcome"]) for name, facts in told] == [
            ("message.moved_out", 1, "discarded"),
            ("message.moved_in", 1, "discarded"),
        ]


class TestFind:
    def test_it_lists_the_latest_first(self):
        queue = new_queue()
        ready_messages(queue, "one", "two")
        one, two = all_of(queue)
        trash.discard(queue, [two], by="ada", now=NOW)
        trash.discard(queue, [one], by="ada", now=NOW)
        assert [discarded.public_id for discarded in trash.trash_of(queue)] == [one, two]

    def test_it_finds_one(self):
        queue = new_queue()
        ready_message(queue)
        [message_id] = discard(queue)
        assert trash.find(queue, message_id).row["data"] == "hello"

    @pytest.mark.parametrize("message_id", ["msg_nonsense", ids.message_id(uuid.UUID(int=1))])
    def test_it_finds_none_of_another_queue_or_none_at_all(self, message_id):
        queue = new_queue()
        ready_message(queue)
        [own] = discard(queue)
        with pytest.raises(MessageNotFound):
            trash.find(queue, message_id)
        with pytest.raises(MessageNotFound):
            trash.find(new_queue(), own)

    def test_it_can_be_looked_at_as_the_message_it_was(self):
        dlq = dead_letter(new_queue(max_deliveries=1), "secret")
        [before] = columns().values()
        discard(dlq, after(seconds=5), reason="known bug")
        was = trash.as_message(DiscardedMessage.objects.get())
        changed = {name for name, value in before.items() if getattr(was, name) != value}
        assert changed == {"history"}
        last = timeline(was, after(seconds=5))[-1]
        assert (last.event, last.by, last.detail) == ("discarded", "ada", "known bug")


class TestRestore:
    def test_it_brings_back_every_column(self):
        """Whatever a message carries: attributes, errors, a place among the dead."""
        queue = new_queue(max_deliveries=1)
        send(queue, NewMessage('{"n": 12345678901234567890.10}', {"n": 1.5, "b": {"binary": "AA=="}}), NOW)
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, reason="no", now=NOW)
        dlq = reloaded(queue).dlq
        [before] = columns().values()
        message_ids = discard(dlq)
        assert trash.restore(dlq, message_ids, NOW, by="bob") == 1
        [restored] = columns().values()
        history = restored.pop("history")
        assert [event["event"] for event in history[-2:]] == ["discarded", "restored"]
        assert restored == {name: value for name, value in before.items() if name != "history"}
        assert not DiscardedMessage.objects.exists()

    def test_it_names_every_column_of_a_message(self):
        """A column that messages get later must be added to the statement, or restores would lose it."""
        text = load("discarded_message/restore")
        named = re.search(r"INSERT INTO message \((.*?)\)", text, re.DOTALL)[1]
        stored = {field.column for field in Message._meta.concrete_fields if not field.generated}
        assert {name.strip() for name in named.split(",")} == stored

    def test_it_can_be_received_again_at_once(self):
        queue = new_queue()
        ready_message(queue, delay_seconds=600)
        trash.restore(queue, discard(queue), NOW)
        assert data_of(receive(queue, now=NOW)) == ["hello"]

    def test_it_holds_no_old_receipt(self):
        queue = new_queue(visibility_timeout=30)
        delivery = in_flight_message(queue)
        trash.restore(queue, discard(queue, after(seconds=30)), after(seconds=31))
        assert ack(queue, [delivery.receipt_handle])[0].error is not None
        assert Message.objects.get().delivery_count == 1

    def test_the_trash_stops_its_clocks(self):
        queue = new_queue(retention_seconds=100)
        ready_message(queue, "kept")
        ready_message(queue, "short-lived", ttl_seconds=50)
        trash.restore(queue, discard(queue, after(seconds=40)), after(seconds=1040))
        assert data_of(receive(queue, 5, visibility_timeout=0, now=after(seconds=1049))) == [
            "kept",
            "short-lived",
        ]
        assert data_of(receive(queue, 5, visibility_timeout=0, now=after(seconds=1059))) == ["kept"]
        assert receive(queue, now=after(seconds=1100)) == []

    def test_it_takes_its_turn_in_a_queue_that_has_begun_to_age(self):
        queue = new_queue()
        ready_message(queue, "old")
        message_ids = discard(queue)
        queue = queues.update(queue, priority_aging_seconds=60)
        ready_message(queue, "older", now=after(seconds=-1))
        trash.restore(queue, message_ids, NOW)
        assert data_of(receive(queue, 2, now=NOW)) == ["older", "old"]

    def test_it_takes_a_place(self):
        queue = new_queue(queue_size=3)
        ready_message(queue)
        trash.restore(queue, discard(queue), NOW)
        assert QueueSlot.objects.free(queue) == 2

    def test_it_refuses_when_not_all_have_a_place_and_restores_none(self):
        queue = new_queue(queue_size=2)
        ready_messages(queue, "one", "two")
        message_ids = discard(queue)
        ready_message(queue, "new work")
        with pytest.raises(QueueFull):
            trash.restore(queue, message_ids, NOW)
        assert (len(trash.trash_of(queue)), QueueSlot.objects.free(queue)) == (2, 1)

    def test_it_refuses_when_the_queue_is_deleted(self):
        queue = new_queue()
        ready_message(queue)
        message_ids = discard(queue)
        queues.delete(queue)
        with pytest.raises(QueueNotFound):
            trash.restore(queue, message_ids, NOW)

    def test_it_restores_once(self):
        queue = new_queue(queue_size=3)
        ready_message(queue)
        message_ids = discard(queue)
        assert [trash.restore(queue, message_ids, NOW) for _ in range(2)] == [1, 0]
        assert QueueSlot.objects.free(queue) == 2

    def test_it_never_doubles_a_message_that_is_there(self):
        queue = new_queue(queue_size=3)
        ready_message(queue)
        [message_id] = discard(queue)
        uid = ids.decode("msg", message_id)
        Message.objects.create(id=uid, queue_id=queue.pk, size_bytes=1, data="the live one")
        assert trash.restore(queue, [message_id], NOW) == 0
        assert Message.objects.get().data == "the live one"
        assert (len(trash.trash_of(queue)), QueueSlot.objects.free(queue)) == (1, 3)

    def test_it_can_be_discarded_and_restored_over_and_over(self):
        queue = new_queue()
        ready_message(queue)
        for _ in range(15):
            trash.restore(queue, discard(queue), NOW)
        assert len(Message.objects.get().history) == limits.HISTORY_ENTRIES

    def test_it_is_in_the_timeline(self):
        queue = new_queue()
        ready_message(queue)
        trash.restore(queue, discard(queue, after(seconds=1)), after(seconds=2), by="bob")
        entries = timeline(look.browse(queue).get(), after(seconds=2))
        assert [(entry.event, entry.by) for entry in entries] == [
            ("sent", None),
            ("discarded", "ada"),
            ("restored", "bob"),
        ]


class TestEmptying:
    def test_it_removes_and_logs_what_has_lain_there_long_enough(self):
        queue = new_queue(retention_seconds=4 * DAY)
        delivery = in_flight_message(queue, group_id="acme", priority=3)
        nack(queue, delivery.message_id, delivery.receipt_handle, reason="no", now=NOW)
        discard(queue, after(days=1))
        assert duty.run_once(10, after(days=3, hours=23)) == 0
        assert duty.run_once(10, after(days=4)) == 1
        row = MessageLog.objects.get()
        assert (row.message_id, row.queue_id, row.team_id) == (delivery.id, queue.pk, queue.team_id)
        assert (row.outcome, row.enqueued_at, row.finished_at) == ("discarded", NOW, after(days=4))
        assert (row.delivery_count, row.nack_count, row.group_id, row.priority) == (1, 1, "acme", 3)
        assert not DiscardedMessage.objects.exists()

    def test_it_takes_no_more_than_a_batch(self):
        queue = new_queue()
        ready_messages(queue, "one", "two", "three")
        discard(queue)
        assert [duty.run_once(2, after(days=9)) for _ in range(3)] == [2, 1, 0]

    def test_it_does_so_though_the_queue_is_gone(self):
        queue = new_queue()
        ready_message(queue)
        discard(queue)
        Queue.objects.all().delete()
        assert duty.run_once(10, after(days=9)) == 1
