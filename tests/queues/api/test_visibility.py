from datetime import datetime, timedelta

from queues.models import Message, Queue
from tests.factories import in_flight_message
from tests.queues.api.caller import Caller, assert_problem


def received(caller: Caller, messages: str, **query: int) -> dict[str, str]:
    message: dict[str, str] = caller.get(messages, **query).json()
    return message


def changed(caller: Caller, messages: str, message: dict[str, str], seconds: int):
    body = {"receipt_handle": message["receipt_handle"], "visibility_timeout": seconds}
    return caller.post(f"{messages}/{message['message_id']}/visibility", body)


def test_it_says_until_when_the_message_is_hidden(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x"})
    message = received(owner, messages, visibility_timeout=5)
    response = changed(owner, messages, message, 600)
    assert response.status_code == 200
    assert set(response.json()) == {"message_id", "invisible_until"}
    before, after = (datetime.fromisoformat(m["invisible_until"]) for m in (message, response.json()))
    assert after - before > timedelta(seconds=590)
    assert response.json()["invisible_until"].endswith("Z")


def test_it_releases_the_message_to_others(owner: Caller, teammate: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x"})
    message = received(owner, messages)
    assert changed(owner, messages, message, 0).status_code == 200
    assert received(teammate, messages)["message_id"] == message["message_id"]
    assert_problem(changed(owner, messages, message, 30), 409, "receipt_stale")


def test_it_is_404_once_the_message_is_finished(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x"})
    message = received(owner, messages)
    owner.delete(f"{messages}/{message['message_id']}")
    assert_problem(changed(owner, messages, message, 30), 404, "message_not_found")


def test_it_refuses_more_than_twelve_hours_in_all(owner: Caller, queue: Queue, messages: str) -> None:
    owner.post(messages, {"data": "x"})
    message = received(owner, messages)
    Message.objects.update(last_delivered_at=Message.objects.get().last_delivered_at - timedelta(hours=6))
    assert changed(owner, messages, message, 5 * 3600).status_code == 200
    response = changed(owner, messages, message, 7 * 3600)
    assert_problem(response, 400, "invalid_request", "visibility_timeout")


def test_it_refuses_the_receipt_of_another_message(owner: Caller, queue: Queue, messages: str) -> None:
    one, other = in_flight_message(queue), in_flight_message(queue)
    body = {"receipt_handle": other.receipt_handle, "visibility_timeout": 5}
    response = owner.post(f"{messages}/{one.message_id}/visibility", body)
    assert_problem(response, 400, "invalid_request", "receipt_handle")
