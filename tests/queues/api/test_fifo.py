"""A FIFO queue through the REST door: a line for each customer."""

from typing import Any

import pytest

from queues.models import Message
from tests.queues.api.caller import Caller, assert_problem


@pytest.fixture
def messages(owner: Caller) -> str:
    response = owner.post("/api/queues", {"queue_name": "orders", "mode": "fifo", "max_deliveries": 1})
    assert response.status_code == 201, response.content
    return f"/api/queues/{response.json()['queue_id']}/messages"


def send(caller: Caller, messages: str, *data: str) -> list[dict[str, Any]]:
    """The first letter of each names its customer."""
    answers = [caller.post(messages, {"data": text, "group_id": text[0]}) for text in data]
    assert [answer.status_code for answer in answers] == [201] * len(data)
    return [answer.json() for answer in answers]


def receive(caller: Caller, messages: str, limit: int = 10) -> list[dict[str, Any]]:
    return caller.get(messages, limit=limit).json()["messages"]


def data_of(found: list[dict[str, Any]]) -> list[str]:
    return [message["data"] for message in found]


def test_the_queue_says_so(owner: Caller, messages: str) -> None:
    queue = messages.removesuffix("/messages")
    assert owner.get(queue).json()["mode"] == "fifo"
    assert_problem(owner.patch(queue, {"mode": "standard"}), 400, "invalid_request", "mode")


def test_the_same_request_finds_the_same_queue(owner: Caller, messages: str) -> None:
    settings = {"queue_name": "orders", "max_deliveries": 1}
    again = owner.post("/api/queues", {**settings, "mode": "fifo"})
    assert (again.status_code, again.json()["queue_id"] in messages) == (200, True)
    assert_problem(owner.post("/api/queues", settings), 409, "conflict")


def test_a_send_answers_a_place_in_the_line(owner: Caller, messages: str) -> None:
    first, second = send(owner, messages, "a1", "b1")
    assert set(first) == {"message_id", "sequence"}
    assert isinstance(first["sequence"], str)
    assert int(first["sequence"]) < int(second["sequence"])
    assert receive(owner, messages)[0]["sequence"] == first["sequence"]


def test_on_a_standard_queue_there_is_none(owner: Caller, address: str) -> None:
    answer = owner.post(f"{address}/messages", {"data": "x", "group_id": "a"}).json()
    assert set(answer) == {"message_id"}
    assert owner.get(f"{address}/messages").json()["sequence"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"data": "x"}, "group_id"),
        ({"data": "x", "group_id": ""}, "group_id"),
        ({"data": "x", "group_id": "a", "priority": 5}, "priority"),
        ({"data": "x", "group_id": "a", "delay_seconds": 5}, "delay_seconds"),
    ],
)
def test_it_refuses_what_would_break_the_order(
    owner: Caller, messages: str, body: dict[str, Any], field: str
) -> None:
    assert_problem(owner.post(messages, body), 400, "invalid_request", field)
    assert not Message.objects.exists()


def test_ageing_is_for_other_queues(owner: Caller, messages: str) -> None:
    queue = messages.removesuffix("/messages")
    response = owner.patch(queue, {"priority_aging_seconds": 5})
    assert_problem(response, 400, "invalid_request", "priority_aging_seconds")


def test_one_lease_at_a_time_for_each_customer(owner: Caller, messages: str) -> None:
    send(owner, messages, "a1", "a2", "b1")
    [first] = receive(owner, messages, 1)
    assert first["data"] == "a1"
    assert data_of(receive(owner, messages)) == ["b1"]
    assert receive(owner, messages) == []
    owner.post(f"{messages}/ack", {"receipt_handles": [first["receipt_handle"]]})
    assert data_of(receive(owner, messages)) == ["a2"]


def test_a_batch_answers_places_and_fails_a_customer_from_the_first_bad_one_on(
    owner: Caller, messages: str
) -> None:
    entries = [
        {"data": "a1", "group_id": "a"},
        {"data": 7, "group_id": "a"},
        {"data": "b1", "group_id": "b"},
        {"data": "a3", "group_id": "a"},
        {"data": "who?"},
        {"data": "strange", "group_id": []},
    ]
    results = owner.post(f"{messages}/batch", {"messages": entries}).json()["results"]
    assert [result["status"] for result in results] == [201, 400, 201, 409, 400, 400]
    assert int(results[0]["sequence"]) < int(results[2]["sequence"])
    assert results[3]["error"]["code"] == "conflict"
    assert "sequence" not in results[3]
    assert data_of(receive(owner, messages)) == ["a1", "b1"]


def test_a_handle_is_stale_when_its_lease_is_over(owner: Caller, messages: str) -> None:
    send(owner, messages, "a1")
    [late] = owner.get(messages, limit=1, visibility_timeout=0).json()["messages"]
    path, handle = f"{messages}/{late['message_id']}", late["receipt_handle"]
    assert_problem(owner.delete(path, receipt_handle=handle), 409, "receipt_stale")
    assert_problem(owner.post(f"{path}/nack", {"receipt_handle": handle}), 409, "receipt_stale")
    longer = {"receipt_handle": handle, "visibility_timeout": 30}
    assert_problem(owner.post(f"{path}/visibility", longer), 409, "receipt_stale")
    [result] = owner.post(f"{messages}/ack", {"receipt_handles": [handle]}).json()["results"]
    assert (result["status"], result["error"]["code"]) == (409, "receipt_stale")
    assert owner.delete(path).status_code == 200  # by its id anybody may


def test_it_says_what_a_message_waits_for(owner: Caller, messages: str) -> None:
    first, second = send(owner, messages, "a1", "a2")
    [held] = receive(owner, messages, 1)
    why = owner.get(f"{messages}/{second['message_id']}").json()["why_not_delivered"]
    assert why == {
        "code": "group_blocked",
        "detail": f"A consumer holds {first['message_id']} of its group.",
        "until": held["invisible_until"],
    }


def test_dead_letters_have_a_line_too_and_come_back_to_theirs(owner: Caller, messages: str) -> None:
    sent = send(owner, messages, "a1", "a2", "a3")
    for message in receive(owner, messages, 2):
        path = f"{messages}/{message['message_id']}"
        answer = owner.post(f"{path}/nack", {"receipt_handle": message["receipt_handle"]}).json()
    grave = f"/api/queues/{answer['dead_lettered_to']}"
    assert owner.get(grave).json()["mode"] == "fifo"
    found = owner.get(f"{grave}/messages/browse").json()["results"]
    assert [message["sequence"] for message in found] == [answer["sequence"] for answer in sent[:2]]
    for message in reversed(found):
        response = owner.post(f"{grave}/messages/{message['message_id']}/requeue")
        assert response.status_code == 200
    assert data_of(receive(owner, messages)) == ["a1", "a2", "a3"]


def test_there_is_no_attempt_to_repeat(owner: Caller, messages: str) -> None:
    response = owner.post(f"{messages}/receive", {"attempt_id": "one"})
    assert_problem(response, 400, "invalid_request", "attempt_id")
