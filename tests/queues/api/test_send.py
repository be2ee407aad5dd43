import json
from io import BytesIO

import pytest
from django.http import HttpResponse

from queues.models import Message, Queue, Team
from tests.factories import new_queue, ready_message
from tests.queues.api.caller import Caller, assert_problem

ATTRIBUTES = {"kind": "greeting", "tries": 3, "ratio": 0.5, "vip": True, "blob": {"binary": "AAEC"}}


def received(caller: Caller, messages: str) -> dict[str, object]:
    answer: dict[str, object] = caller.get(messages).json()
    return answer


def test_it_answers_the_id_of_the_message(owner: Caller, messages: str) -> None:
    response = owner.post(messages, {"data": "hello"})
    assert response.status_code == 201
    assert response.json() == {"message_id": Message.objects.get().public_id}


@pytest.mark.parametrize(
    "data", ["", " ", "\n\t", "{}", "ünïcödé 🐘", "\\u0000", "\x7f\u2028", "a" * 100_000]
)
def test_it_keeps_the_data_as_it_is(owner: Caller, messages: str, data: str) -> None:
    owner.post(messages, {"data": data})
    assert received(owner, messages)["data"] == data


def test_it_takes_unescaped_utf_8(owner: Caller, messages: str) -> None:
    owner.post(messages, json.dumps({"data": "🐘 ü"}, ensure_ascii=False).encode())
    assert received(owner, messages)["data"] == "🐘 ü"


def test_it_keeps_attributes_of_every_kind(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x", "attributes": ATTRIBUTES})
    assert received(owner, messages)["attributes"] == ATTRIBUTES


def test_it_keeps_group_and_priority(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x", "group_id": "tenant-1", "priority": -100})
    message = received(owner, messages)
    assert (message["group_id"], message["priority"]) == ("tenant-1", -100)


def test_it_delays_a_message(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x", "delay_seconds": 60})
    assert received(owner, messages) == {"message": None}


def test_it_overrides_the_deliveries_of_the_queue(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x", "max_deliveries": 1})
    assert owner.get(messages, visibility_timeout=0).json()["data"] == "x"
    assert received(owner, messages) == {"message": None}


def test_it_keeps_its_time_to_live(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x", "ttl_seconds": 60})
    assert Message.objects.get().expires_at is not None


def test_it_refuses_a_delay_beyond_the_time_to_live(owner: Caller, messages: str) -> None:
    response = owner.post(messages, {"data": "x", "ttl_seconds": 60, "delay_seconds": 60})
    assert_problem(response, 400, "invalid_request", "delay_seconds")


def sent_to_a_full_queue(caller: Caller, team: Team) -> HttpResponse:
    queue = new_queue(team, queue_size=1)
    ready_message(queue)
    return caller.post(f"/api/queues/{queue.public_id}/messages", {"data": "one too many"})


def test_it_refuses_more_than_the_queue_may_hold(owner: Caller, team: Team) -> None:
    response = sent_to_a_full_queue(owner, team)
    assert_problem(response, 429, "queue_full")
    assert int(response["Retry-After"]) >= 1


def test_it_refuses_a_message_larger_than_the_queue_allows(owner: Caller, team: Team) -> None:
    queue = new_queue(team, max_message_bytes=1024)
    messages = f"/api/queues/{queue.public_id}/messages"
    assert owner.post(messages, {"data": "x" * 1024}).status_code == 201
    assert_problem(owner.post(messages, {"data": "x" * 1025}), 413, "message_too_large", "data")
    assert_problem(owner.post(messages, {"data": "ü" * 513}), 413, "message_too_large", "data")


def test_it_works_with_a_trailing_slash(owner: Caller, messages: str) -> None:
    assert owner.post(f"{messages}/", {"data": "x"}).status_code == 201


def sent_in_chunks(caller: Caller, messages: str, body: bytes) -> HttpResponse:
    """Without a Content-Length: the server itself marks the end of the stream."""
    headers = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_TYPE": "application/json"}
    stream = {"wsgi.input": BytesIO(body), "wsgi.input_terminated": True}
    return caller.http.generic("POST", messages, **headers, **stream)


def test_it_takes_a_body_in_chunks(owner: Caller, messages: str) -> None:
    assert sent_in_chunks(owner, messages, b'{"data": "x"}').status_code == 201


def test_it_refuses_a_body_in_too_many_chunks(owner: Caller, messages: str) -> None:
    response = sent_in_chunks(owner, messages, b"x" * (9 << 20))
    assert_problem(response, 413, "message_too_large", "body")


def test_it_stores_nothing_when_it_refuses(owner: Caller, queue: Queue, messages: str) -> None:
    owner.post(messages, {"data": "x", "priority": 101})
    assert not Message.objects.filter(queue_id=queue.pk).exists()
