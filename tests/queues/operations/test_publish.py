import uuid
from dataclasses import fields

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues import events, limits
from queues.errors import Invalid, MessageTooLarge, QueueFull
from queues.models import Message, Queue, QueueSlot
from queues.operations import queues, topics
from queues.operations.publish import publish
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage
from tests.factories import NOW, after, data_of, new_queue, new_topic, ready_messages, received

pytestmark = pytest.mark.django_db


@pytest.fixture
def topic():
    return new_topic()


def subscribed(topic, filter=None, **settings):
    queue = new_queue(topic.team, **settings)
    topics.subscribe(topic, queue, filter)
    return queue


def outcomes(publication):
    """What each queue answered: the data it holds, or the error."""
    return {
        queue.name: type(result) if isinstance(result, Exception) else Message.objects.get(pk=result).data
        for queue, result in publication.deliveries
    }


def test_it_puts_a_copy_into_every_subscribed_queue(topic):
    one, other = subscribed(topic), subscribed(topic, queue_size=10)
    new_queue(topic.team)
    publication = publish(topic, NewMessage("news"))
    for queue, uid in publication.deliveries:
        [delivery] = receive(queue)
        assert (delivery.id, delivery.data) == (uid, "news")
    assert [queue for queue, _ in publication.deliveries] == [one, other]


def test_its_copies_have_lives_of_their_own(topic):
    subscribed(topic), subscribed(topic)
    [(_, one), (_, other)] = publish(topic, NewMessage("news")).deliveries
    assert one != other


def test_it_names_every_publication_differently(topic):
    ids = {publish(topic, NewMessage("news")).public_id for _ in range(2)}
    assert len(ids) == 2
    assert all(name.startswith("tmsg_") for name in ids)


def test_it_delivers_to_those_whose_filter_lets_it_pass(topic):
    subscribed(topic, name="everything")
    subscribed(topic, {"kind": ["order"]}, name="orders")
    subscribed(topic, {"kind": [{"prefix": "re"}]}, name="refunds")
    subscribed(topic, {"kind": [{"exists": False}]}, name="unmarked")
    published = publish(topic, NewMessage("x", attributes={"kind": "order"}))
    assert set(outcomes(published)) == {"everything", "orders"}
    assert set(outcomes(publish(topic, NewMessage("x")))) == {"everything", "unmarked"}


def test_it_delivers_nothing_when_nobody_is_subscribed(topic):
    assert publish(topic, NewMessage("x")).deliveries == []


def test_a_full_queue_fails_alone(topic):
    full = subscribed(topic, name="full", queue_size=1)
    subscribed(topic, name="bounded", queue_size=1)
    subscribed(topic, name="open")
    ready_messages(full, "first")
    assert outcomes(publish(topic, NewMessage("news"))) == {
        "full": QueueFull,
        "bounded": "news",
        "open": "news",
    }
    assert [QueueSlot.objects.free(queue) for queue in Queue.objects.exclude(queue_size=None)] == [0, 0]


def test_it_takes_the_last_place_of_a_queue_wherever_that_is(topic):
    """With more slots than places, the first one nobody holds may be without room."""
    queue = subscribed(topic, queue_size=20)
    for _ in range(20):
        assert isinstance(publish(topic, NewMessage("x")).deliveries[0][1], uuid.UUID)
    assert isinstance(publish(topic, NewMessage("x")).deliveries[0][1], QueueFull)
    assert Message.objects.filter(queue_id=queue.pk).count() == 20


def test_a_queue_that_holds_more_than_its_new_bound_is_full(topic):
    queue = subscribed(topic, queue_size=10)
    ready_messages(queue, *"12345")
    queues.update(queue, queue_size=3)
    [(_, result)] = publish(topic, NewMessage("x")).deliveries
    assert isinstance(result, QueueFull)


def test_a_queue_in_which_a_slot_owes_places_gives_only_what_is_left(topic):
    """As after a change of its bound, until maintenance has counted again."""
    queue = subscribed(topic, queue_size=2)
    slots = list(QueueSlot.objects.filter(queue_id=queue.pk).order_by("id"))
    QueueSlot.objects.filter(pk=slots[0].pk).update(free=-1)
    QueueSlot.objects.filter(pk=slots[1].pk).update(free=2)
    results = [publish(topic, NewMessage("x")).deliveries[0][1] for _ in range(2)]
    assert [type(result) for result in results] == [uuid.UUID, QueueFull]
    assert QueueSlot.objects.free(queue) == 0


@pytest.mark.parametrize("size", [None, 5])
def test_a_queue_that_takes_no_such_message_fails_alone(topic, size):
    subscribed(topic, name="small", max_message_bytes=1024, queue_size=size)
    subscribed(topic, name="short", retention_seconds=60, queue_size=size)
    subscribed(topic, name="roomy", queue_size=size)
    large = publish(topic, NewMessage("x" * 2000, delay_seconds=60))
    assert outcomes(large) == {"small": MessageTooLarge, "short": Invalid, "roomy": "x" * 2000}


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (NewMessage("nul \x00"), "data"),
        (NewMessage("x", priority=101), "priority"),
        (NewMessage("x", attributes={"a": None}), "attributes"),
        (NewMessage("x", delay_seconds=60, ttl_seconds=60), "delay_seconds"),
        (NewMessage("x", group_id=""), "group_id"),
    ],
)
def test_it_refuses_what_no_queue_would_take(topic, message, field):
    subscribed(topic)
    with pytest.raises(Invalid) as caught:
        publish(topic, message)
    assert caught.value.field == field
    assert not Message.objects.exists()


def test_it_refuses_what_is_larger_than_any_queue_allows(topic):
    most = limits.MESSAGE_BYTES[1]
    queue = subscribed(topic, max_message_bytes=most)
    with pytest.raises(MessageTooLarge, match="no queue allows more"):
        publish(topic, NewMessage("x" * most, attributes={"a": "b"}))
    publish(topic, NewMessage("x" * most))
    assert Message.objects.get().queue_id == queue.pk


def test_the_delay_of_a_queue_holds_for_copies(topic):
    slow, fast = subscribed(topic, delay_seconds=60), subscribed(topic)
    publish(topic, NewMessage("x"), NOW)
    assert (receive(slow, now=after(seconds=59)), data_of(receive(fast, now=NOW))) == ([], ["x"])
    assert data_of(receive(slow, now=after(seconds=60))) == ["x"]


FULL = NewMessage(
    "data",
    attributes={"kind": "order", "n": 1.5, "raw": {"binary": "AAE="}},
    delay_seconds=7,
    priority=5,
    group_id="tenant",
    ttl_seconds=600,
    max_deliveries=9,
    trace_id="trace",
)
SETTINGS = [{}, {"delay_seconds": 30}, {"priority_aging_seconds": 60}, {"queue_size": 5}]


def test_the_message_of_these_tests_has_every_field():
    assert [field.name for field in fields(NewMessage) if getattr(FULL, field.name) is None] == []


@pytest.mark.parametrize("message", [FULL, NewMessage("plain")], ids=["every field", "plain"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_copy_is_what_a_send_would_have_stored(topic, settings, message):
    """Two statements store messages; here is what keeps them the same, column by column."""
    queue = subscribed(topic, **settings)
    [(_, copy)] = publish(topic, message, NOW).deliveries
    sent = send(queue, message, NOW)
    rows = {row.pop("id"): row for row in Message.objects.values()}
    assert rows[copy] == rows[sent]


@pytest.fixture
def heard():
    facts = []

    def listen(name, fact):
        facts.append((name, fact["queue"].name, fact["queue"].team.name, fact["count"]))

    events.subscribe(listen)
    yield facts
    events._subscribers.remove(listen)


def test_it_reports_what_was_sent_and_refused(topic, heard, django_capture_on_commit_callbacks):
    subscribed(topic, name="open")
    subscribed(topic, name="bounded", queue_size=1)
    team = topic.team.name
    with django_capture_on_commit_callbacks(execute=True):
        publish(topic, NewMessage("x"))
        publish(topic, NewMessage("y"))
    assert sorted(heard) == [
        ("message.sent", "bounded", team, 1),
        ("message.sent", "open", team, 1),
        ("message.sent", "open", team, 1),
        ("send.refused", "bounded", team, 1),
    ]


def test_it_stores_all_of_it_or_nothing(topic, monkeypatch):
    """It fails after its work is done, so only a rollback can have undone it."""
    subscribed(topic)
    subscribed(topic, queue_size=5)
    monkeypatch.setattr("queues.operations.publish.emit", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        publish(topic, NewMessage("x"))
    assert not Message.objects.exists()
    assert QueueSlot.objects.free(Queue.objects.get(queue_size=5)) == 5


def statements_of(topic):
    with CaptureQueriesContext(connection) as caught:
        publish(topics.find(topic.team, topic.public_id), NewMessage("x", attributes={"kind": "order"}))
    return len(caught)


@pytest.mark.parametrize("size", [None, 10])
def test_all_standard_queues_take_as_many_statements_as_one(topic, size):
    subscribed(topic, {"kind": ["order"]}, queue_size=size)
    one = statements_of(topic)
    for _ in range(limits.SUBSCRIPTIONS_PER_TOPIC - 1):
        subscribed(topic, {"kind": ["order"]}, queue_size=size)
    assert statements_of(topic) == one
    assert Message.objects.count() == limits.SUBSCRIPTIONS_PER_TOPIC + 1


@pytest.mark.parametrize("size", [None, 1])
def test_a_fifo_queue_gets_its_copy_by_a_send_of_its_own(topic, size):
    subscribed(topic, name="line", queue_size=size, mode="fifo")
    subscribed(topic, name="crowd")
    message = NewMessage("x", group_id="tenant")
    assert outcomes(publish(topic, message)) == {"line": "x", "crowd": "x"}
    assert outcomes(publish(topic, message)) == {"line": QueueFull if size else "x", "crowd": "x"}


def test_copies_in_a_fifo_queue_are_in_line(topic):
    line = subscribed(topic, name="line", mode="fifo")
    for text in ("a1", "b1", "a2"):
        publish(topic, NewMessage(text, group_id=text[0]), NOW)
    assert received(line) == ["a1", "a2", "b1"]


def test_a_fifo_queue_takes_none_without_a_group(topic):
    subscribed(topic, name="line", mode="fifo")
    subscribed(topic, name="crowd")
    assert outcomes(publish(topic, NewMessage("x"))) == {"line": Invalid, "crowd": "x"}
