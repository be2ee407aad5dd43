"""The trash of a queue: who discarded what and why, how long it can be restored, and the way back."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from queues import limits
from queues.models import Action, AuditEntry, DiscardedMessage, Message, Queue
from queues.operations import edit, queues, trash
from tests.dlq_console.letters import HOSTILE, assert_harmless, died
from tests.factories import new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db


@pytest.fixture
def discarded(queue: Queue) -> Message:
    letter = died(queue, '{"order": 42, "password": "s3cret"}')
    trash.discard(reloaded(queue).dlq, [letter.public_id], by="oscar", reason="A duplicate of 41")
    return letter


@pytest.fixture
def dlq(queue: Queue, discarded: Message) -> Queue:
    return reloaded(queue).dlq


def address(name: str, queue: Queue, *more: str) -> str:
    return reverse(f"console:{name}", args=[queue.public_id, *more])


def restored_by(client: Client, queue: Queue, *letters: Message, **fields: Any) -> Any:
    ids = [letter.public_id for letter in letters]
    return client.post(address("restore", queue), {"message_id": ids, **fields}, follow=True)


class TestList:
    def test_it_says_who_discarded_what_and_why_and_how_long_it_is_kept(self, viewer, dlq, discarded):
        DiscardedMessage.objects.update(expires_at=timezone.now() + timedelta(days=3, seconds=30))
        page = viewer.get(address("trash", dlq)).text
        for words in (discarded.public_id, "by oscar", "A duplicate of 41", "TimeoutError", "3 d"):
            assert words in page

    def test_it_masks_the_bodies(self, viewer, dlq):
        page = viewer.get(address("trash", dlq)).text
        assert "&quot;order&quot;: 42" in page
        assert "s3cret" not in page

    def test_it_says_that_an_edit_replaced_it(self, viewer, queue):
        Queue.objects.filter(pk=queue.pk).update(allow_edit=True)
        letter = died(queue, '{"order": 1}')
        dlq = reloaded(queue).dlq
        edit.edit_and_requeue(dlq, letter.public_id, data='{"order": 2}', by="oscar")
        assert "Replaced by an edit" in viewer.get(address("trash", dlq)).text

    def test_it_goes_through_pages_by_key(self, viewer, queue):
        for number in range(limits.PAGE_SIZE + 3):
            ready_message(queue, f"body {number:03}")
        ids = [message.public_id for message in Message.objects.filter(queue_id=queue.pk)]
        trash.discard(queue, ids, by="oscar")
        first = viewer.get(address("trash", queue))
        second = viewer.get(first.context["page"].next)
        assert [len(page.context["rows"]) for page in (first, second)] == [limits.PAGE_SIZE, 3]
        assert "body 000" in second.text
        assert viewer.get(second.context["page"].previous).context["rows"] == first.context["rows"]

    def test_it_reads_the_beginnings_of_bodies_only(self, viewer, queue):
        Queue.objects.filter(pk=queue.pk).update(max_message_bytes=1_048_576)
        letter = died(reloaded(queue), "x" * 1_000_000)
        dlq = reloaded(queue).dlq
        trash.discard(dlq, [letter.public_id], by="oscar")
        [(row, preview)] = viewer.get(address("trash", dlq)).context["rows"]
        assert len(row.beginning) == limits.BEGINNING_CHARACTERS
        assert "row" in row.get_deferred_fields()
        assert len(preview) < 200

    def test_it_takes_as_many_statements_for_many(self, viewer, queue, django_assert_max_num_queries):
        for number in range(20):
            ready_message(queue, str(number))
        ids = [message.public_id for message in Message.objects.filter(queue_id=queue.pk)]
        trash.discard(queue, ids, by="oscar")
        with django_assert_max_num_queries(6):
            viewer.get(address("trash", queue))

    def test_it_says_so_when_it_is_empty(self, viewer, queue):
        page = viewer.get(address("trash", queue)).text
        assert "The trash is empty" in page
        assert f"{reverse('console:audit')}?queue=orders" in page

    def test_it_is_one_of_the_tabs(self, viewer, dlq):
        assert f'href="{address("trash", dlq)}"' in viewer.get(address("queue", dlq)).text


class TestLook:
    def test_it_shows_the_message_as_it_was_masked(self, viewer, dlq, discarded):
        page = viewer.get(address("trash-message", dlq, discarded.public_id)).text
        assert "It was discarded" in page
        assert "TimeoutError" in page
        assert "discarded</strong> by oscar" in page
        assert "s3cret" not in page

    def test_looking_changes_nothing(self, owner, dlq, discarded):
        before = DiscardedMessage.objects.values().get()
        owner.get(address("trash", dlq))
        owner.get(address("trash-message", dlq, discarded.public_id))
        assert DiscardedMessage.objects.values().get() == before
        assert not AuditEntry.objects.exists()

    def test_secrets_are_revealed_by_a_post_that_is_noted(self, operator, dlq, discarded):
        answer = operator.post(address("trash-reveal", dlq, discarded.public_id))
        assert "s3cret" in answer.text
        assert "no-store" in answer["Cache-Control"]
        assert AuditEntry.objects.get().action == Action.MESSAGE_REVEALED

    def test_it_leads_to_what_an_edit_made_of_it(self, viewer, queue):
        Queue.objects.filter(pk=queue.pk).update(allow_edit=True)
        letter = died(queue, '{"order": 1}')
        dlq = reloaded(queue).dlq
        _, new_id = edit.edit_and_requeue(dlq, letter.public_id, data='{"order": 2}', by="oscar")
        page = viewer.get(address("trash-message", dlq, letter.public_id)).text
        assert f"{reverse('console:search')}?q={new_id}" in page

    @pytest.mark.parametrize("message_id", ["msg_0000000000000000000000", "nonsense"])
    def test_what_is_not_there_is_not_found(self, viewer, dlq, message_id):
        assert viewer.get(address("trash-message", dlq, message_id)).status_code == 404


class TestRestore:
    def test_one_comes_back_and_the_list_as_it_was(self, operator, dlq, discarded):
        back = address("trash", dlq) + "?after=99"
        answer = restored_by(operator, dlq, discarded, next=back)
        assert answer.redirect_chain == [(back, 303)]
        assert "Restored 1 message to orders-dlq" in answer.text
        assert Message.objects.get().queue_id == dlq.pk
        assert not DiscardedMessage.objects.exists()

    def test_those_that_are_ticked_come_back_and_others_do_not(self, operator, queue, dlq, discarded):
        letters = [discarded, died(queue, "two"), died(queue, "three")]
        trash.discard(dlq, [letter.public_id for letter in letters[1:]], by="oscar")
        assert "Restored 2 messages" in restored_by(operator, dlq, *letters[:2]).text
        assert DiscardedMessage.objects.get().public_id == letters[2].public_id

    def test_it_is_noted_with_the_ids(self, operator, dlq, discarded):
        restored_by(operator, dlq, discarded)
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.action) == ("oscar", Action.MESSAGE_RESTORED)
        assert entry.detail == {"ids": [discarded.public_id], "count": 1}

    def test_nothing_ticked_changes_nothing(self, operator, dlq):
        assert "Tick some messages" in restored_by(operator, dlq).text
        assert DiscardedMessage.objects.exists()

    def test_asked_for_twice_it_says_so_and_notes_nothing(self, operator, dlq, discarded):
        restored_by(operator, dlq, discarded)
        assert "nothing to restore" in restored_by(operator, dlq, discarded).text
        assert AuditEntry.objects.count() == 1

    def test_a_full_queue_is_said(self, operator, team):
        small = new_queue(team, queue_size=1)
        ready_message(small, "one")
        first = Message.objects.get(queue_id=small.pk)
        trash.discard(small, [first.public_id], by="oscar")
        ready_message(small, "two")
        assert "has no room" in restored_by(operator, small, first).text
        assert DiscardedMessage.objects.exists()

    def test_what_is_no_id_reaches_neither_trash_nor_audit(self, operator, dlq, discarded):
        ids = ["<script>" * 1_000, "msg_nonsense", discarded.public_id]
        operator.post(address("restore", dlq), {"message_id": ids})
        assert AuditEntry.objects.get().detail["ids"] == [discarded.public_id]


class TestRights:
    def test_a_viewer_sees_no_action(self, viewer, dlq, discarded):
        pages = (address("trash", dlq), address("trash-message", dlq, discarded.public_id))
        for page in pages:
            assert "/trash/restore/" not in viewer.get(page).text
        assert restored_by(viewer, dlq, discarded).status_code == 403
        assert viewer.post(address("trash-reveal", dlq, discarded.public_id)).status_code == 403

    def test_for_a_stranger_there_is_no_trash(self, stranger, dlq, discarded):
        assert stranger.get(address("trash", dlq)).status_code == 404
        assert stranger.get(address("trash-message", dlq, discarded.public_id)).status_code == 404
        assert restored_by(stranger, dlq, discarded).status_code == 404

    def test_a_message_of_another_trash_is_shown_and_restored_only_there(
        self, operator, team, dlq, discarded
    ):
        other = new_queue(team)
        answer = operator.get(address("trash-message", other, discarded.public_id))
        assert answer.headers["Location"] == address("trash-message", dlq, discarded.public_id)
        restored_by(operator, other, discarded)
        assert DiscardedMessage.objects.exists()

    def test_looking_restores_nothing(self, operator, dlq):
        assert operator.get(address("restore", dlq)).status_code == 405

    def test_with_its_queue_the_trash_is_gone(self, viewer, dlq):
        queues.delete(dlq)
        assert viewer.get(address("trash", dlq)).status_code == 404


def test_hostile_text_is_shown_as_text(viewer, queue):
    letter = died(queue, HOSTILE, HOSTILE, HOSTILE)
    dlq = reloaded(queue).dlq
    trash.discard(dlq, [letter.public_id], by=HOSTILE[:150], reason=HOSTILE)
    for page in (address("trash", dlq), address("trash-message", dlq, letter.public_id)):
        assert_harmless(viewer.get(page).text)
