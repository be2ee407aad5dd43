"""One message: what it holds, what happened to it, what can be done; looking at it changes nothing."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from queues.models import Action, AuditEntry, DiscardedMessage, Message, Queue
from queues.operations import dead_letters, edit, queues
from queues.operations.ack import ack
from queues.operations.receive import receive
from tests.dlq_console.letters import died
from tests.factories import dead_letter, new_queue, new_team, ready_message, reloaded

pytestmark = pytest.mark.django_db
BIG = "12345678901234567890"
X = "\N{MULTIPLICATION SIGN}"


@pytest.fixture
def letter(queue: Queue) -> Message:
    return died(queue, f'{{"order": {BIG}, "password": "s3cret"}}')


@pytest.fixture
def dlq(queue: Queue, letter: Message) -> Queue:
    return reloaded(queue).dlq


def address(name: str, queue: Queue, *more: str) -> str:
    return reverse(f"console:{name}", args=[queue.public_id, *more])


def shown(client: Client, queue: Queue, message: Message, **query: str) -> str:
    return client.get(address("message", queue, message.public_id), query).text


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))


class TestFacts:
    def test_it_says_why_a_dead_letter_is_not_delivered(self, viewer, dlq, letter):
        text = shown(viewer, dlq, letter)
        assert "Why is it not delivered?" in text
        assert "It is a dead letter" in text
        assert "this page counts as no delivery" in text

    def test_it_says_who_holds_a_message_and_until_when(self, viewer, queue):
        ready_message(queue, "held")
        [delivery] = receive(queue, visibility_timeout=600)
        message = Message.objects.get(id=delivery.id)
        assert f'A consumer holds it. Until <time datetime="{message.visible_at:%Y-%m-%dT}' in shown(
            viewer, queue, message
        )

    def test_it_says_that_nothing_is_in_its_way(self, viewer, queue):
        ready_message(queue, "free")
        assert "Nothing keeps it from the next consumer" in shown(viewer, queue, Message.objects.get())

    def test_numbers_are_exact(self, viewer, dlq, letter):
        assert BIG in shown(viewer, dlq, letter)

    def test_its_error_group_is_one_click_away(self, viewer, dlq, letter):
        link = (
            address("dead-letters", dlq) + f"?q=fingerprint%3A%22{letter.fingerprint.replace(':', '%3A')}%22"
        )
        assert link in shown(viewer, dlq, letter)
        assert letter.public_id in viewer.get(link).text


class TestTimeline:
    def test_it_tells_a_life_across_requeues(self, viewer, queue, dlq, letter):
        for _ in range(3):
            dead_letters.requeue(dlq, letter.public_id, requested_by="oscar")
            while receive(queue, visibility_timeout=0):
                pass
        text = shown(viewer, dlq, Message.objects.get())
        assert text.count("<strong>dead lettered</strong>") == 4
        assert text.count("<strong>requeued</strong> by oscar") == 3
        assert f"Redriven 3{X}, came back 3{X}: it is left out of bulk redrives unless asked for." in text

    def test_one_that_is_on_its_way_again_has_not_come_back_yet(self, viewer, queue, dlq, letter):
        dead_letters.requeue(dlq, letter.public_id)
        assert f"Redriven 1{X}, came back 0{X}." in shown(viewer, queue, letter)

    def test_the_list_says_it_too(self, viewer, dlq, letter):
        Message.objects.update(redrive_count=3)
        assert f"redriven 3{X}, came back 3{X}" in viewer.get(address("dead-letters", dlq)).text


class TestSecrets:
    def test_they_are_masked_until_revealed(self, operator, dlq, letter):
        assert "s3cret" not in shown(operator, dlq, letter)
        assert b"s3cret" not in operator.get(address("message-raw", dlq, letter.public_id)).content
        revealed = operator.post(address("message-reveal", dlq, letter.public_id))
        assert "s3cret" in revealed.text
        assert "no-store" in revealed["Cache-Control"]
        assert actions() == [Action.MESSAGE_REVEALED]

    def test_attributes_are_masked_too(self, operator, dlq, letter):
        Message.objects.update(attributes={"tenant": "acme", "api_token": "t0ken"})
        text = shown(operator, dlq, letter)
        assert "acme" in text
        assert "t0ken" not in text
        assert "2 fields are masked" in text
        assert "t0ken" in operator.post(address("message-reveal", dlq, letter.public_id)).text

    def test_what_an_edit_changed_is_masked_too(self, operator, queue, dlq, letter):
        Queue.objects.update(allow_edit=True)
        _, new_id = edit.edit_and_requeue(dlq, letter.public_id, data='{"password": "0ther"}', by="oscar")
        new = Message.objects.get(queue_id=queue.pk)
        text = shown(operator, queue, new)
        assert "Edited by oscar" in text
        assert "s3cret" not in text
        assert "0ther" not in text
        assert "s3cret" in operator.post(address("message-reveal", queue, new_id)).text


class TestWays:
    def test_an_action_goes_back_to_the_list_it_was_opened_from(self, operator, dlq, letter):
        back = address("dead-letters", dlq) + "?q=order"
        assert f'name="next" value="{back}"' in shown(operator, dlq, letter, next=back)
        link = address("message", dlq, letter.public_id) + "?next="
        assert link in operator.get(back).text

    def test_nobody_is_sent_to_another_site(self, operator, dlq, letter):
        assert "evil.example" not in shown(operator, dlq, letter, next="https://evil.example/")

    def test_without_its_queue_it_can_be_redriven_elsewhere(self, operator, queue, dlq, letter):
        Queue.objects.filter(pk=queue.pk).update(dlq=None)
        queues.delete(reloaded(queue))
        text = shown(operator, dlq, letter)
        assert "/requeue/" not in text
        assert f"{address('redrive-new', dlq)}?q=id:{letter.public_id}" in text


class TestEdit:
    @pytest.fixture(autouse=True)
    def editing_is_allowed(self, queue: Queue) -> None:
        Queue.objects.filter(pk=queue.pk).update(allow_edit=True)

    def send(self, client: Client, dlq: Queue, letter: Message, **fields: str) -> Any:
        return client.post(address("edit", dlq, letter.public_id), fields, follow=True)

    def test_it_is_sent_anew_and_the_original_goes_to_the_trash(self, operator, queue, dlq, letter):
        text = self.send(operator, dlq, letter, data='{"order": 43}', reason="typo").text
        assert "Sent anew to orders; the original is in the trash." in text
        assert Message.objects.get(queue_id=queue.pk).data == '{"order": 43}'
        assert DiscardedMessage.objects.get().public_id == letter.public_id
        assert actions() == [Action.MESSAGE_EDITED]

    def test_what_is_refused_comes_back_with_what_was_typed(self, operator, dlq, letter):
        answer = self.send(operator, dlq, letter, data='{"order": 43', reason="typo")
        assert answer.status_code == 400
        assert "This is not valid JSON" in answer.text
        assert "{&quot;order&quot;: 43" in answer.text
        assert 'value="typo"' in answer.text
        assert actions() == []

    def test_secrets_are_seen_only_after_a_reveal_that_is_noted(self, operator, dlq, letter):
        form = operator.get(address("edit", dlq, letter.public_id)).text
        assert "s3cret" not in form
        assert "<textarea" not in form
        assert "s3cret" in self.send(operator, dlq, letter, reveal="1").text
        assert actions() == [Action.MESSAGE_REVEALED]

    def test_a_body_without_secrets_is_there_at_once(self, operator, queue):
        letter = died(queue, '{"order": 7}')
        form = operator.get(address("edit", reloaded(queue).dlq, letter.public_id)).text
        assert "{&quot;order&quot;: 7}</textarea>" in form

    def test_lines_keep_the_ends_they_had(self, operator, queue):
        letter = died(queue, "one\ntwo")
        self.send(operator, reloaded(queue).dlq, letter, data="one\r\n2")
        assert Message.objects.get(queue_id=queue.pk).data == "one\n2"

    def test_sent_twice_it_leads_to_what_became_of_it(self, operator, queue, dlq, letter):
        """The answer to the second click is all that the browser shows."""
        sent = {"data": '{"order": 43}', "reason": ""}
        for _ in range(2):
            answer = operator.post(address("edit", dlq, letter.public_id), sent)
        assert answer.headers["Location"] == address("trash-message", dlq, letter.public_id)
        assert Message.objects.filter(queue_id=queue.pk).count() == 1

    def test_it_is_off_unless_the_queue_allows_it(self, operator, queue, dlq, letter):
        Queue.objects.filter(pk=queue.pk).update(allow_edit=False)
        assert "does not allow its messages to be edited" in self.send(operator, dlq, letter, data="{}").text
        assert address("edit", dlq, letter.public_id) not in shown(operator, dlq, letter)

    def test_a_viewer_may_not(self, viewer, dlq, letter):
        assert viewer.get(address("edit", dlq, letter.public_id)).status_code == 403


class TestDiff:
    def compared(self, client: Client, queue: Queue, one: str, other: str) -> str:
        return client.get(address("message-diff", queue), {"a": one, "b": other}).text

    def test_two_messages_are_compared_a_value_a_line(self, viewer, queue, dlq, letter):
        other = died(queue, '{"order": 43, "password": "0ther"}')
        text = self.compared(viewer, dlq, letter.public_id, other.public_id)
        assert f'<span class="diff-del">-  &quot;order&quot;: {BIG},</span>' in text
        assert '<span class="diff-add">+  &quot;order&quot;: 43,</span>' in text
        assert "s3cret" not in text
        assert "0ther" not in text

    def test_the_same_is_the_same(self, viewer, dlq, letter):
        assert "No difference" in self.compared(viewer, dlq, letter.public_id, letter.public_id)

    def test_a_message_of_another_queue_is_not_found(self, viewer, team, dlq, letter):
        other = dead_letter(new_queue(team, max_deliveries=1))
        theirs = Message.objects.get(queue_id=other.pk)
        answer = viewer.get(address("message-diff", dlq), {"a": letter.public_id, "b": theirs.public_id})
        assert answer.status_code == 404


class TestWhatIsElsewhere:
    """Somebody presses Back after a requeue, or follows a link that a colleague sent yesterday."""

    def test_one_that_moved_on_is_shown_where_it_is(self, operator, queue, dlq, letter):
        dead_letters.requeue(dlq, letter.public_id)
        answer = operator.get(address("message", dlq, letter.public_id), follow=True)
        assert answer.redirect_chain[-1][0] == address("message", queue, letter.public_id)
        assert "The message is no longer where you looked for it" in answer.text

    def test_one_that_was_discarded_is_shown_in_the_trash_and_back(self, operator, dlq, letter):
        operator.post(address("discard", dlq, letter.public_id))
        answer = operator.get(address("message", dlq, letter.public_id), follow=True)
        assert answer.redirect_chain[-1][0] == address("trash-message", dlq, letter.public_id)
        operator.post(address("restore", dlq), {"message_id": letter.public_id})
        answer = operator.get(address("trash-message", dlq, letter.public_id), follow=True)
        assert answer.redirect_chain[-1][0] == address("message", dlq, letter.public_id)

    def test_one_that_is_finished_says_so(self, viewer, queue, dlq, letter):
        dead_letters.requeue(dlq, letter.public_id)
        [delivery] = receive(queue)
        ack(queue, [delivery.receipt_handle])
        answer = viewer.get(address("message", dlq, letter.public_id))
        assert answer.status_code == 404
        assert "The message is finished" in answer.text

    def test_those_of_others_are_nowhere(self, stranger, viewer, dlq, letter):
        theirs = died(new_queue(new_team("others"), max_deliveries=1), "theirs")
        assert stranger.get(address("message", dlq, letter.public_id)).status_code == 404
        answer = viewer.get(address("message", dlq, theirs.public_id))
        assert answer.status_code == 404
        assert "There is no such message" in answer.text

    def test_what_is_no_id_is_not_searched_for(self, viewer, dlq):
        assert viewer.get(address("message", dlq, "msg_nonsense")).status_code == 404


def test_looking_changes_nothing(owner, dlq, letter):
    before = Message.objects.filter(id=letter.id).values().get()
    shown(owner, dlq, letter)
    owner.get(address("message-raw", dlq, letter.public_id))
    assert Message.objects.filter(id=letter.id).values().get() == before


def test_it_takes_few_statements(owner, dlq, letter, django_assert_max_num_queries):
    with django_assert_max_num_queries(9):
        shown(owner, dlq, letter)
