"""Actions ask first and then go through the operations; deed and audit entry are committed together."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from queues.models import (
    AuditEntry,
    DiscardedMessage,
    Message,
    Queue,
    RedriveStatus,
    Subscription,
    Topic,
)
from queues.operations import keys, queues, redrive, topics
from tests.dlq_console.admin.acting import ask, confirm
from tests.factories import in_flight_message, ready_messages, reloaded

QUEUES = "/admin/queues/queue/"
REDRIVES = "/admin/queues/redrivetask/"
KEYS = "/admin/queues/apikey/"
TOPICS = "/admin/queues/topic/"
SUBSCRIPTIONS = "/admin/queues/subscription/"


def messages_in(queue):
    return f"{reverse('admin:queues_message_changelist')}?queue={queue.public_id}"


def audit():
    return list(AuditEntry.objects.order_by("id").values_list("action", "actor", "queue_name", "reason"))


def said(answer):
    return [str(message) for message in answer.context["messages"]]


@pytest.fixture
def key(team):
    return keys.create_api_key(team, "deploy", ["send"]).key


@pytest.mark.parametrize("action", ["pause", "resume", "purge", "delete", "requeue"])
def test_it_asks_before_it_does_anything(superuser, queue, action):
    ready_messages(queue, "a")
    answer = ask(superuser, QUEUES, action, queue)
    assert answer.status_code == 200
    assert 'name="confirmed"' in answer.content.decode()
    assert (reloaded(queue).paused, Message.objects.count(), audit()) == (False, 1, [])


def test_it_pauses_and_resumes(superuser, queue):
    answer = confirm(superuser, QUEUES, "pause", queue, reason="incident")
    assert said(answer) == ["Pause deliveries: done for 1 queue."]
    assert reloaded(queue).paused
    confirm(superuser, QUEUES, "resume", queue)
    assert not reloaded(queue).paused
    assert audit() == [
        ("queue.paused", "root", "orders", "incident"),
        ("queue.resumed", "root", "orders", ""),
    ]


def test_it_purges(superuser, queue):
    ready_messages(queue, "a", "b")
    confirm(superuser, QUEUES, "purge", queue)
    assert Message.objects.count() == 0
    assert AuditEntry.objects.get().detail == {"purged": 2}


def test_it_deletes_a_queue_as_the_api_does(superuser, queue):
    confirm(superuser, QUEUES, "delete", queue)
    assert Queue.objects.get().deleted_at
    assert audit() == [("queue.deleted", "root", "orders", "")]


def test_it_starts_a_redrive_of_a_dead_letter_queue(superuser, dlq):
    confirm(superuser, QUEUES, "requeue", dlq)
    task = redrive.tasks_of(dlq).get()
    assert (task.requested_by, task.matched) == ("root", 1)
    assert AuditEntry.objects.get().detail == {"redrive_id": task.public_id, "matched": 1}


def test_other_queues_have_nothing_to_redrive(superuser, queue):
    assert said(confirm(superuser, QUEUES, "requeue", queue)) == ["orders: This is no dead-letter queue."]
    assert audit() == []


def test_it_requeues_dead_letters(superuser, queue, dlq, letter):
    confirm(superuser, messages_in(dlq), "requeue", letter, reason="fixed")
    assert Message.objects.get().queue_id == queue.pk
    assert audit() == [("message.requeued", "root", dlq.name, "fixed")]
    entry = AuditEntry.objects.get()
    assert (entry.subject, entry.detail) == (letter.public_id, {"to": "orders"})


def test_a_message_that_cannot_be_requeued_is_named(superuser, queue):
    ready_messages(queue, "a")
    message = Message.objects.get()
    [text] = said(confirm(superuser, messages_in(queue), "requeue", message))
    assert text.startswith(f"{message.public_id}: This message was sent to this queue")
    assert audit() == []


def test_it_cancels_a_redrive(superuser, dlq):
    task = redrive.start(dlq)
    confirm(superuser, REDRIVES, "cancel", task)
    task.refresh_from_db()
    assert task.status == RedriveStatus.CANCELLED
    assert audit() == [("redrive.cancelled", "root", dlq.name, "")]
    assert said(confirm(superuser, REDRIVES, "cancel", task)) == [f"{task}: It is over already."]


def test_it_revokes_a_key(superuser, key):
    confirm(superuser, KEYS, "revoke", key)
    key.refresh_from_db()
    assert key.revoked_at
    assert AuditEntry.objects.get().subject == key.access_key_id


def test_it_asks_before_it_deletes_a_topic_or_ends_a_subscription(superuser, subscription):
    for address, action, row in [
        (TOPICS, "delete", subscription.topic),
        (SUBSCRIPTIONS, "end", subscription),
    ]:
        answer = ask(superuser, address, action, row)
        assert 'name="confirmed"' in answer.content.decode()
    assert Subscription.objects.get() == subscription
    assert audit() == []


def test_it_deletes_a_topic(superuser, subscription):
    confirm(superuser, TOPICS, "delete", subscription.topic, reason="unused")
    assert not Topic.objects.exists()
    assert audit() == [("topic.deleted", "root", "", "unused")]
    entry = AuditEntry.objects.get()
    assert (entry.team, entry.subject, entry.detail) == (
        subscription.queue.team,
        "events",
        {"queues": ["orders"]},
    )


def test_it_ends_a_subscription(superuser, subscription):
    confirm(superuser, SUBSCRIPTIONS, "end", subscription, reason="moved")
    assert not Subscription.objects.exists()
    assert audit() == [("subscription.deleted", "root", "orders", "moved")]
    entry = AuditEntry.objects.get()
    assert (entry.subject, entry.detail) == ("events", {"filter": subscription.filter})


def test_what_somebody_else_ended_meanwhile_is_named(superuser, subscription, monkeypatch):
    topic, real = subscription.topic, topics.subscriptions_of

    def ended_meanwhile(topic):
        rows = list(real(topic))
        Topic.objects.all().delete()
        return rows

    monkeypatch.setattr(topics, "subscriptions_of", ended_meanwhile)
    assert said(confirm(superuser, TOPICS, "delete", topic)) == ["events: There is no such topic."]
    assert audit() == []


@pytest.mark.parametrize("broken", ["pause", "purge", "delete"])
def test_a_deed_that_fails_leaves_neither_itself_nor_an_entry(superuser, queue, monkeypatch, broken):
    """It fails after its work is done, so only a rollback can have undone it."""
    ready_messages(queue, "a")
    real = getattr(queues, broken)

    def fails_late(*args, **kwargs):
        real(*args, **kwargs)
        raise RuntimeError("the lights went out")

    monkeypatch.setattr(queues, broken, fails_late)
    with pytest.raises(RuntimeError, match="the lights went out"):
        confirm(superuser, QUEUES, broken, queue)
    kept = Queue.objects.get()
    assert (kept.paused, kept.deleted_at, Message.objects.count(), audit()) == (False, None, 1, [])


def test_an_entry_that_cannot_be_written_undoes_the_deed(superuser, queue, monkeypatch):
    def fails(**kwargs):
        raise RuntimeError("no audit")

    monkeypatch.setattr(AuditEntry.objects, "create", fails)
    with pytest.raises(RuntimeError, match="no audit"):
        confirm(superuser, QUEUES, "pause", queue)
    assert not reloaded(queue).paused


def test_a_reason_that_is_too_long_is_refused(superuser, queue):
    [text] = said(confirm(superuser, QUEUES, "pause", queue, reason="x" * 501))
    assert "Must be at most 500 characters long." in text
    assert not reloaded(queue).paused


def test_a_get_changes_nothing(superuser, queue):
    superuser.get(QUEUES, {"action": "purge", "_selected_action": queue.pk, "confirmed": "yes"})
    assert audit() == []


def test_a_post_without_the_token_is_refused(root, queue):
    client = Client(enforce_csrf_checks=True)
    client.force_login(root)
    assert confirm(client, QUEUES, "pause", queue).status_code == 403
    assert not reloaded(queue).paused


def test_staff_cannot_act(staff, queue):
    assert confirm(staff, QUEUES, "pause", queue).status_code == 403
    assert not reloaded(queue).paused


def test_more_than_a_page_is_not_acted_on_at_once(superuser, dlq, letter, monkeypatch):
    monkeypatch.setattr("dlq_console.admin.confirmed.MAX_PAGE_SIZE", 0)
    assert said(confirm(superuser, messages_in(dlq), "requeue", letter)) == [
        "At most 0 at once: tick fewer, or use the console."
    ]
    assert audit() == []


def test_rows_of_another_queue_are_not_acted_on(superuser, queue, dlq, letter):
    confirm(superuser, messages_in(queue), "requeue", letter)
    assert Message.objects.get().queue_id == dlq.pk


def test_it_discards_and_restores(superuser, dlq, letter):
    confirm(superuser, messages_in(dlq), "discard", letter, reason="junk")
    assert not Message.objects.exists()
    row = DiscardedMessage.objects.get()
    assert (row.discarded_by, row.reason) == ("root", "junk")
    confirm(superuser, "/admin/queues/discardedmessage/", "restore", row)
    assert Message.objects.get().data == letter.data
    assert [entry[0] for entry in audit()] == ["message.discarded", "message.restored"]


def test_a_message_in_flight_stays(superuser, queue):
    in_flight_message(queue, now=timezone.now())  # the action goes by the true clock
    [text] = said(confirm(superuser, messages_in(queue), "discard", Message.objects.get()))
    assert text.endswith(": A consumer holds it, or it is gone.")
    assert (Message.objects.count(), audit()) == (1, [])
