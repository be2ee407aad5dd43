from typing import Any

from django.http import HttpResponse

from queues.models import Queue
from queues.operations import queues
from tests.factories import dead_letter, new_queue
from tests.queues.api.caller import Caller, assert_problem

ERROR = {"type": "TimeoutError", "message": "no answer", "stack": "Traceback"}


def received(caller: Caller, messages: str) -> dict[str, Any]:
    caller.post(messages, {"data": "x"})
    message: dict[str, Any] = caller.get(messages).json()
    return message


def given_back(caller: Caller, messages: str, message: dict[str, Any], **said: Any) -> HttpResponse:
    body = {"receipt_handle": message["receipt_handle"], **said}
    return caller.post(f"{messages}/{message['message_id']}/nack", body)


def test_it_says_when_the_message_is_visible_again(owner: Caller, messages: str) -> None:
    message = received(owner, messages)
    response = given_back(owner, messages, message)
    assert response.status_code == 200
    assert set(response.json()) == {"message_id", "visible_at"}
    assert response.json()["visible_at"].endswith("Z")
    assert owner.get(messages).json()["message_id"] == message["message_id"]


def test_it_waits_as_long_as_asked_for(owner: Caller, messages: str) -> None:
    given_back(owner, messages, received(owner, messages), delay_seconds=60)
    assert owner.get(messages).json() == {"message": None}


def test_it_waits_by_the_backoff_of_the_queue(owner: Caller, address: str, messages: str) -> None:
    owner.patch(address, {"backoff": {"base_seconds": 60, "jitter": 0.5}})
    given_back(owner, messages, received(owner, messages))
    assert owner.get(messages).json() == {"message": None}


def test_it_tells_the_next_consumer_what_went_wrong(owner: Caller, messages: str) -> None:
    given_back(owner, messages, received(owner, messages), error=ERROR)
    assert owner.get(messages).json()["last_error"] == ERROR


def test_it_takes_a_plain_reason(owner: Caller, messages: str) -> None:
    given_back(owner, messages, received(owner, messages), reason="busy")
    assert owner.get(messages).json()["last_error"] == {"message": "busy"}


def test_it_takes_no_error_together_with_a_reason(owner: Caller, messages: str) -> None:
    response = given_back(owner, messages, received(owner, messages), error=ERROR, reason="busy")
    assert_problem(response, 400, "invalid_request", "reason")


def test_it_is_stale_the_second_time(owner: Caller, messages: str) -> None:
    message = received(owner, messages)
    given_back(owner, messages, message)
    assert_problem(given_back(owner, messages, message), 409, "receipt_stale")


def test_it_is_404_once_the_message_is_finished(owner: Caller, messages: str) -> None:
    message = received(owner, messages)
    owner.delete(f"{messages}/{message['message_id']}")
    assert_problem(given_back(owner, messages, message), 404, "message_not_found")


def test_it_names_the_dlq_when_the_deliveries_are_used_up(owner: Caller, address: str, messages: str) -> None:
    owner.patch(address, {"max_deliveries": 1})
    response = given_back(owner, messages, received(owner, messages), error=ERROR)
    dlq_id = owner.get(address).json()["dlq_id"]
    assert response.json() == {"message_id": response.json()["message_id"], "dead_lettered_to": dlq_id}
    [dead] = owner.get(f"/api/queues/{dlq_id}/messages/browse", error_type="TimeoutError").json()["results"]
    assert dead["last_error"] == ERROR
    assert dead["fingerprint"].startswith("v1:")


def test_it_has_no_time_while_the_dlq_is_full(owner: Caller, queue: Queue) -> None:
    small = new_queue(queue.team, max_deliveries=1, queue_size=5)
    queues.update(dead_letter(small), queue_size=1)
    messages = f"/api/queues/{small.public_id}/messages"
    response = given_back(owner, messages, received(owner, messages))
    assert (response.status_code, response.json()["visible_at"]) == (200, None)
