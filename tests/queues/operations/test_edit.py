import uuid

import pytest

from queues import ids
from queues.errors import (
    AlreadyReceived,
    EditNotAllowed,
    Invalid,
    MessageNotFound,
    MessageTooLarge,
    NotADeadLetter,
    QueueFull,
    SourceDeleted,
)
from queues.models import DiscardedMessage, Message, MessageEdit, Queue, QueueSlot
from queues.operations import look, queues, trash
from queues.operations.edit import edit_and_requeue, edits_of
from queues.operations.receive import receive
from queues.operations.send import send
from queues.operations.timeline import timeline
from queues.values import NewMessage
from tests.factories import NOW, after, dead_letter, new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db
LATER = after(seconds=10)
SENT = {
    "attributes": {"tenant": "acme"},
    "priority": 7,
    "group_id": "acme",
    "max_deliveries": 1,
    "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
}


@pytest.fixture
def source() -> Queue:
    return new_queue(name="orders", queue_size=5, allow_edit=True)


def die(source: Queue, data: str = '{"total": 1}', **fields) -> Message:
    ready_message(source, data, **{"max_deliveries": 1, **fields})
    while receive(source, visibility_timeout=0, now=NOW):
        pass
    return look.browse(reloaded(source).dlq).order_by("-id").first()


def edit(dead: Message, data: str = '{"total": 2}', now=LATER, **said) -> tuple[Queue, str]:
    dlq = Queue.objects.get(pk=dead.queue_id)
    return edit_and_requeue(dlq, dead.public_id, data=data, by="ada", now=now, **said)


class TestSending:
    def test_it_is_delivered_anew_with_the_new_data(self, source: Queue):
        target, new_id = edit(die(source))
        [delivery] = receive(source, now=LATER)
        assert (target, delivery.message_id, delivery.data) == (source, new_id, '{"total": 2}')
        assert (delivery.delivery_count, delivery.source_queue_id) == (1, None)

    def test_it_keeps_what_was_not_edited(self, source: Queue):
        _, new_id = edit(die(source, **SENT))
        new = look.find_message(source, new_id)
        assert {name: getattr(new, name) for name in SENT} == SENT

    def test_it_takes_other_attributes_or_none(self, source: Queue):
        _, new_id = edit(die(source, **SENT), attributes={"tenant": "globex"})
        assert look.find_message(source, new_id).attributes == {"tenant": "globex"}
        _, new_id = edit(die(source, **SENT), attributes={})
        assert look.find_message(source, new_id).attributes is None

    def test_it_is_not_delayed_as_a_new_message_would_be(self, source: Queue):
        dead = die(source)
        queues.update(source, delay_seconds=600)
        edit(dead)
        assert receive(source, now=LATER)

    def test_it_keeps_the_text_as_it_was_typed(self, source: Queue):
        typed = '{ "total": 12345678901234567890.10,  "total": 1e400 }'
        _, new_id = edit(die(source), typed)
        assert look.find_message(source, new_id).data == typed

    def test_it_moves_the_place_along(self, source: Queue):
        dead = die(source)
        edit(dead)
        dlq = Queue.objects.get(pk=dead.queue_id)
        assert (QueueSlot.objects.free(source), QueueSlot.objects.free(dlq)) == (4, 5)


class TestRefusals:
    @pytest.fixture(autouse=True)
    def nothing_happens(self, source: Queue):
        """Whatever is refused leaves the dead letter where it was, and nothing else."""
        yield
        assert not MessageEdit.objects.exists()
        assert not DiscardedMessage.objects.exists()

    def test_it_is_off_unless_the_queue_allows_it(self, source: Queue):
        dead = die(source)
        queues.update(source, allow_edit=False)
        with pytest.raises(EditNotAllowed, match="orders"):
            edit(dead)

    def test_it_refuses_what_is_no_json_when_the_original_was(self, source: Queue):
        with pytest.raises(Invalid, match="line 1, column 10") as refused:
            edit(die(source), '{"total":}')
        assert refused.value.field == "data"

    def test_it_refuses_a_message_that_is_too_large(self, source: Queue):
        dead = die(source)
        queues.update(source, max_message_bytes=1024)
        with pytest.raises(MessageTooLarge):
            edit(dead, '"' + "x" * 1024 + '"')

    @pytest.mark.parametrize("data", ['"\x00"', '"\ud800"'])
    def test_it_refuses_text_that_cannot_be_stored(self, source: Queue, data: str):
        with pytest.raises(Invalid) as refused:
            edit(die(source, "plain"), data)
        assert refused.value.field == "data"

    def test_it_refuses_attributes_a_send_would_refuse(self, source: Queue):
        with pytest.raises(Invalid) as refused:
            edit(die(source), attributes={"": 1})
        assert refused.value.field == "attributes"

    def test_it_refuses_when_the_source_is_full(self, source: Queue):
        dead = die(source)
        queues.update(source, queue_size=1)
        ready_message(reloaded(source), "new work")
        with pytest.raises(QueueFull, match="stays as it is"):
            edit(dead)

    def test_it_refuses_when_the_source_is_deleted(self, source: Queue):
        dead = die(source)
        queues.delete(source)
        with pytest.raises(SourceDeleted):
            edit(dead)

    def test_it_refuses_a_message_that_never_died(self, source: Queue):
        dlq = Queue.objects.get(pk=die(source).queue_id)
        uid = send(dlq, NewMessage("sent here"), NOW)
        with pytest.raises(NotADeadLetter):
            edit(Message.objects.get(id=uid))

    def test_it_finds_no_live_message_of_the_source(self, source: Queue):
        ready_message(source)
        with pytest.raises((MessageNotFound, NotADeadLetter)):
            edit(look.browse(source).get())

    def test_it_refuses_while_a_consumer_holds_it_and_sends_nothing(self, source: Queue):
        dead = die(source)
        dlq = Queue.objects.get(pk=dead.queue_id)
        receive(dlq, visibility_timeout=600, now=NOW)
        with pytest.raises(AlreadyReceived, match="holds it"):
            edit(dead)
        assert not look.browse(source).exists()


def test_what_was_no_json_may_become_anything(source: Queue):
    _, new_id = edit(die(source, "plain"), "other")
    assert look.find_message(source, new_id).data == "other"


class TestOriginal:
    def test_it_lies_in_the_trash_and_names_what_replaced_it(self, source: Queue):
        dead = die(source)
        _, new_id = edit(dead, reason="a typo")
        [kept] = trash.trash_of(Queue.objects.get(pk=dead.queue_id))
        assert (kept.public_id, ids.message_id(kept.replaced_by)) == (dead.public_id, new_id)
        assert (kept.discarded_by, kept.reason) == ("ada", "a typo")

    def test_its_timeline_ends_with_the_other(self, source: Queue):
        _, new_id = edit(die(source))
        last = timeline(trash.as_message(DiscardedMessage.objects.get()), LATER)[-1]
        assert last == (LATER, "replaced", f"Replaced by {new_id}.", "ada")

    def test_it_can_be_restored_all_the_same(self, source: Queue):
        dead = die(source)
        edit(dead)
        assert trash.restore(Queue.objects.get(pk=dead.queue_id), [dead.public_id], LATER) == 1


class TestEdit:
    def test_the_timeline_of_the_new_message_names_the_original(self, source: Queue):
        dead = die(source)
        _, new_id = edit(dead)
        entries = timeline(look.find_message(source, new_id), LATER)
        assert [entry.event for entry in entries] == ["sent", "edited"]
        assert entries[1] == (LATER, "edited", f"Edited from {dead.public_id}.", "ada")

    def test_it_keeps_who_why_and_what(self, source: Queue):
        dead = die(source, '{"id": 7, "total": 1}')
        _, new_id = edit(dead, '{"id": 7, "total": 2}', reason="a typo")
        [kept] = edits_of(dead.public_id)
        assert edits_of(new_id) == [kept]
        assert (kept.edited_by, kept.reason, kept.queue_id) == ("ada", "a typo", dead.queue_id)
        assert kept.diff.split("\n") == [
            f"--- {dead.public_id}",
            f"+++ {new_id}",
            "@@ -1,4 +1,4 @@",
            " {",
            '   "id": 7,',
            '-  "total": 1',
            '+  "total": 2',
            " }",
        ]

    def test_it_keeps_the_change_of_attributes_too(self, source: Queue):
        dead = die(source, attributes={"tenant": "acme"})
        edit(dead, dead.data, attributes={"tenant": "globex"})
        diff = edits_of(dead.public_id)[0].diff
        assert '-  "tenant": "acme"' in diff
        assert "total" not in diff

    def test_it_follows_a_message_through_several_edits(self, source: Queue):
        _, second = edit(die(source, "one"), "two")
        queues.update(source, max_deliveries=1)
        while receive(reloaded(source), visibility_timeout=0, now=LATER):
            pass
        edit(look.browse(reloaded(source).dlq).get(), "three")
        assert [edit.diff.split("\n")[-1] for edit in edits_of(second)] == ["+two", "+three"]

    @pytest.mark.parametrize("message_id", ["msg_nonsense", ids.message_id(uuid.UUID(int=1))])
    def test_there_are_none_of_other_messages(self, message_id: str):
        assert edits_of(message_id) == []


def test_dead_letters_of_a_queue_without_the_setting_stay_uneditable():
    with pytest.raises(EditNotAllowed):
        edit(look.browse(dead_letter(new_queue(max_deliveries=1))).get())
