"""What one team has does not exist for another: every call answers as if it were not there."""

from collections.abc import Iterator

import pytest
from django.urls import URLPattern, get_resolver

from queues.models import Message, Queue, RedriveTask
from queues.operations.redrive import start as start_redrive
from tests.factories import dead_letter, in_flight_message
from tests.queues.api.caller import Caller, assert_problem


def calls_about_a_queue() -> Iterator[tuple[str, str]]:
    """Read from the routes, so that a new call is in this test before anybody thinks of it."""
    [api] = [entry for entry in get_resolver().url_patterns if str(entry.pattern) == "api/"]
    for pattern in api.url_patterns:
        if isinstance(pattern, URLPattern) and "{queue_id}" in (pattern.name or ""):
            methods = set(pattern.callback.actions) - {"head"}  # DRF adds it, for every get
            yield from ((method, str(pattern.name)) for method in methods)


CALLS = sorted(calls_about_a_queue())


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    return dead_letter(queue)


@pytest.mark.parametrize(("method", "route"), CALLS)
def test_it_does_not_exist_for_a_stranger(stranger: Caller, dlq: Queue, method: str, route: str) -> None:
    message = Message.objects.get(queue_id=dlq.pk)
    redrive = start_redrive(dlq)
    path = route.format(queue_id=dlq.public_id, message_id=message.public_id, redrive_id=redrive.public_id)
    response = getattr(stranger.http, method)(f"/api/{path}", content_type="application/json")
    assert_problem(response, 404, "queue_not_found")
    assert Message.objects.filter(pk=message.pk, queue_id=dlq.pk, receipt=None).exists()
    assert RedriveTask.objects.get().status == "running"


def test_it_is_in_no_list_of_a_stranger(stranger: Caller, queue: Queue) -> None:
    assert stranger.get("/api/queues").json()["results"] == []
    assert stranger.get("/api/whoami").json()["quotas"]["queues"]["used"] == 0


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
