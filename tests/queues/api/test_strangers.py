"""What one team has does not exist for another: every call answers as if it were not there."""

from collections.abc import Iterator

import pytest
from django.urls import URLPattern, get_resolver

from queues.models import Message, Queue, RedriveTask, Subscription, Topic
from queues.operations.redrive import start as start_redrive
from queues.operations.topics import subscribe
from tests.factories import dead_letter, in_flight_message
from tests.queues.api.caller import Caller, assert_problem


def calls_about(place: str) -> Iterator[tuple[str, str]]:
    """Read from the routes, so that a new call is in this test before anybody thinks of it."""
    [api] = [entry for entry in get_resolver().url_patterns if str(entry.pattern) == "api/"]
    for pattern in api.url_patterns:
        if isinstance(pattern, URLPattern) and place in (pattern.name or ""):
            methods = set(pattern.callback.actions) - {"head"}  # DRF adds it, for every get
            yield from ((method, str(pattern.name)) for method in methods)


QUEUE_CALLS = sorted(calls_about("{queue_id}"))
TOPIC_CALLS = sorted(calls_about("{topic_id}"))


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    return dead_letter(queue)


@pytest.mark.parametrize(("method", "route"), QUEUE_CALLS)
def test_it_does_not_exist_for_a_stranger(stranger: Caller, dlq: Queue, method: str, route: str) -> None:
    message = Message.objects.get(queue_id=dlq.pk)
    redrive = start_redrive(dlq)
    path = route.format(queue_id=dlq.public_id, message_id=message.public_id, redrive_id=redrive.public_id)
    response = getattr(stranger.http, method)(f"/api/{path}", content_type="application/json")
    assert_problem(response, 404, "queue_not_found")
    assert Message.objects.filter(pk=message.pk, queue_id=dlq.pk, receipt=None).exists()
    assert RedriveTask.objects.get().status == "running"


@pytest.mark.parametrize(("method", "route"), TOPIC_CALLS)
def test_a_topic_does_not_exist_for_a_stranger(
    stranger: Caller, topic: Topic, queue: Queue, method: str, route: str
) -> None:
    subscription, _ = subscribe(topic, queue)
    path = route.format(topic_id=topic.public_id, subscription_id=subscription.public_id)
    body = {"data": "x", "queue_id": queue.public_id} if method == "post" else None
    response = getattr(stranger.http, method)(f"/api/{path}", body, content_type="application/json")
    assert_problem(response, 404, "topic_not_found")
    assert Subscription.objects.get() == subscription
    assert not Message.objects.exists()


def test_a_subscription_is_not_found_by_way_of_another_topic(
    stranger: Caller, topic: Topic, queue: Queue
) -> None:
    subscription, _ = subscribe(topic, queue)
    own = stranger.post("/api/topics", {"topic_name": "events"}).json()["topic_id"]
    path = f"/api/topics/{own}/subscriptions"
    for call in (stranger.get, stranger.delete):
        assert_problem(call(f"{path}/{subscription.public_id}"), 404, "subscription_not_found")
    assert_problem(stranger.post(path, {"queue_id": queue.public_id}), 400, "invalid_request", "queue_id")
    assert Subscription.objects.get() == subscription


def test_it_is_in_no_list_of_a_stranger(stranger: Caller, queue: Queue, topic: Topic) -> None:
    for kind in ("queues", "topics"):
        assert stranger.get(f"/api/{kind}").json()["results"] == []
        assert stranger.get("/api/whoami").json()["quotas"][kind]["used"] == 0


def test_it_cannot_be_acked_through_a_queue_of_the_stranger(stranger: Caller, queue: Queue) -> None:
    delivery = in_flight_message(queue)
    own = stranger.post("/api/queues", {"queue_name": "orders"}).json()["queue_id"]
    messages = f"/api/queues/{own}/messages"
    assert_problem(stranger.delete(f"{messages}/{delivery.message_id}"), 404, "message_not_found")
    [result] = stranger.post(f"{messages}/ack", {"receipt_handles": [delivery.receipt_handle]}).json()[
        "results"
    ]
    assert result["status"] == 404
    assert Message.objects.filter(pk=delivery.id).exists()
