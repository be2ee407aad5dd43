"""What is done with the letters that are ticked."""

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from queues import rights
from queues.models import Action, AuditEntry, DiscardedMessage, Message, Queue, RedriveTask
from queues.operations import redrive
from queues.operations.receive import receive
from queues.rights import Right
from tests.dlq_console.letters import died
from tests.factories import new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(queue: Queue) -> list[Message]:
    return [died(queue, f"body {number}") for number in range(3)]


@pytest.fixture
def dlq(queue: Queue, letters: list[Message]) -> Queue:
    return reloaded(queue).dlq


def done(client: Client, dlq: Queue, do: str, *letters: Message, **fields: str) -> Any:
    ids = [letter.public_id for letter in letters]
    address = reverse("console:bulk", args=[dlq.public_id])
    return client.post(address, {"do": do, "message_id": ids, **fields}, follow=True)


def undone(client: Client, page: str) -> Any:
    """What the Undo of the notice does."""
    [address] = re.findall(r'<form method="post" action="([^"]+)">(?:(?!</form>).)*Undo', page, re.DOTALL)
    return client.post(html.unescape(address), follow=True)


def number_in(queue: Queue) -> int:
    return Message.objects.filter(queue_id=queue.pk).count()


class TestRequeue:
    def test_they_go_together_and_nothing_else_does(self, operator, queue, dlq, letters):
        answer = done(operator, dlq, "requeue", *letters[:2], reason="Mended")
        assert "Requeued 2 messages" in answer.text
        assert (number_in(queue), number_in(dlq)) == (2, 1)
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.reason) == (Action.REDRIVE_STARTED, "Mended")
        assert entry.detail == {"redrive_id": RedriveTask.objects.get().public_id, "moved": 2, "skipped": {}}

    def test_the_filter_survives(self, operator, dlq, letters):
        back = reverse("console:dead-letters", args=[dlq.public_id]) + "?q=body&after=" + letters[0].public_id
        assert done(operator, dlq, "requeue", letters[2], next=back).redirect_chain == [(back, 303)]

    def test_undo_brings_them_back(self, operator, queue, dlq, letters):
        page = done(operator, dlq, "requeue", *letters).text
        assert "Pulled back 3 messages" in undone(operator, page).text
        assert (number_in(queue), number_in(dlq)) == (0, 3)

    def test_it_takes_those_that_came_back_every_time(self, operator, queue, dlq, letters):
        """They are named one by one: somebody means them."""
        Message.objects.filter(id=letters[0].id).update(redrive_count=7)
        done(operator, dlq, "requeue", letters[0])
        assert number_in(queue) == 1

    def test_it_says_why_one_stays(self, operator, dlq, letters):
        receive(dlq, visibility_timeout=600)
        text = done(operator, dlq, "requeue", *letters).text
        assert "Requeued 2 messages, 1 stayed: A consumer holds them right now" in text

    def test_it_says_when_some_are_gone(self, operator, dlq, letters):
        done(operator, dlq, "requeue", letters[0])
        assert (
            "Requeued 1 message, 1 stayed: gone already" in done(operator, dlq, "requeue", *letters[:2]).text
        )

    def test_it_says_when_some_wait_for_room(self, operator, team):
        small = new_queue(team, name="small", queue_size=2, max_deliveries=1)
        pair = [died(small, "one"), died(small, "two")]
        ready_message(small, "takes a place")
        text = done(operator, reloaded(small).dlq, "requeue", *pair).text
        assert "Requeued 1 message, 1 to follow. Waiting for room in small." in text

    def test_another_redrive_is_waited_for(self, operator, dlq, letters):
        redrive.start(dlq)
        assert "Another redrive of this queue is running" in done(operator, dlq, "requeue", letters[0]).text
        assert not AuditEntry.objects.exists()

    def test_who_may_requeue_may_take_it_back(self):
        """Ticked letters go as a redrive, whose undo asks for the right to redrive: every role has both."""
        for role, allowed in rights.RIGHTS.items():
            assert (Right.REQUEUE in allowed) == (Right.REDRIVE in allowed), role


class TestDiscard:
    def test_they_lie_in_the_trash_with_the_reason(self, operator, dlq, letters):
        assert "Discarded 2 messages" in done(operator, dlq, "discard", *letters[:2], reason="spam").text
        assert [row.reason for row in DiscardedMessage.objects.all()] == ["spam", "spam"]
        assert AuditEntry.objects.get().action == Action.MESSAGE_DISCARDED

    def test_undo_brings_them_back(self, operator, dlq, letters):
        page = done(operator, dlq, "discard", *letters).text
        assert "Restored 3 messages to orders-dlq" in undone(operator, page).text
        assert number_in(dlq) == 3

    def test_what_is_held_or_gone_is_said(self, operator, dlq, letters):
        receive(dlq, 3, visibility_timeout=600)
        assert "nothing was discarded" in done(operator, dlq, "discard", *letters).text
        assert not AuditEntry.objects.exists()

    def test_a_reason_that_is_too_long_is_said(self, operator, dlq, letters):
        assert "Must be at most 500" in done(operator, dlq, "discard", *letters, reason="x" * 501).text
        assert not DiscardedMessage.objects.exists()


class TestCompare:
    def test_two_are_compared(self, operator, dlq, letters):
        answer = done(operator, dlq, "compare", *letters[:2])
        assert "Compare two messages" in answer.text
        assert "+body 1" in answer.text

    def test_one_or_three_are_not(self, operator, dlq, letters):
        assert "Tick two messages" in done(operator, dlq, "compare", *letters).text


@pytest.mark.parametrize("do", ["", "explode"])
def test_an_unknown_deed_changes_nothing(operator, dlq, letters, do):
    assert "nothing was changed" in done(operator, dlq, do, *letters).text
    assert number_in(dlq) == 3


@pytest.mark.parametrize("do", ["requeue", "discard", "compare"])
def test_nothing_ticked_changes_nothing(operator, dlq, do):
    assert "Tick some messages" in done(operator, dlq, do).text


def test_messages_of_another_queue_are_not_meant(operator, team, dlq, letters):
    other = new_queue(team)
    ready_message(other, "alive")
    live = Message.objects.get(queue_id=other.pk)
    done(operator, dlq, "discard", live, letters[0])
    assert number_in(other) == 1


@pytest.mark.parametrize("do", ["requeue", "discard"])
def test_a_viewer_is_refused(viewer, dlq, letters, do):
    assert done(viewer, dlq, do, *letters).status_code == 403
    assert number_in(dlq) == 3
