from queues.models import Message, Queue
from tests.factories import in_flight_message, new_queue
from tests.queues.api.caller import Caller, assert_problem

NOBODY = "msg_0000000000000000000000"


def received_twice(caller: Caller, messages: str) -> tuple[dict[str, str], dict[str, str]]:
    caller.post(messages, {"data": "x"})
    first, second = (caller.get(messages, visibility_timeout=0).json() for _ in range(2))
    return first, second


def test_it_finishes_a_message_by_its_id(owner: Caller, queue: Queue, messages: str) -> None:
    message_id = in_flight_message(queue).message_id
    response = owner.delete(f"{messages}/{message_id}")
    assert (response.status_code, response.json()) == (200, {"message_id": message_id, "deleted": True})
    assert not Message.objects.exists()


def test_it_is_404_the_second_time(owner: Caller, queue: Queue, messages: str) -> None:
    message_id = in_flight_message(queue).message_id
    owner.delete(f"{messages}/{message_id}")
    assert_problem(owner.delete(f"{messages}/{message_id}"), 404, "message_not_found")


def test_it_takes_the_latest_receipt(owner: Caller, messages: str) -> None:
    _, latest = received_twice(owner, messages)
    response = owner.delete(f"{messages}/{latest['message_id']}", receipt_handle=latest["receipt_handle"])
    assert response.status_code == 200


def test_it_refuses_a_stale_receipt(owner: Caller, messages: str) -> None:
    stale, _ = received_twice(owner, messages)
    response = owner.delete(f"{messages}/{stale['message_id']}", receipt_handle=stale["receipt_handle"])
    assert_problem(response, 409, "receipt_stale")


def test_it_refuses_what_is_no_receipt(owner: Caller, queue: Queue, messages: str) -> None:
    message_id = in_flight_message(queue).message_id
    for handle in ("", "x", "ü", "\x00", "A" * 43, "A" * 5000):
        response = owner.delete(f"{messages}/{message_id}", receipt_handle=handle)
        assert_problem(response, 400, "invalid_request", "receipt_handle")


def test_it_refuses_the_receipt_of_another_message(owner: Caller, queue: Queue, messages: str) -> None:
    one, other = in_flight_message(queue), in_flight_message(queue)
    response = owner.delete(f"{messages}/{one.message_id}", receipt_handle=other.receipt_handle)
    assert_problem(response, 400, "invalid_request", "receipt_handle")


def test_it_finds_no_message_of_another_queue(owner: Caller, queue: Queue) -> None:
    message_id = in_flight_message(queue).message_id
    other = new_queue(queue.team)
    response = owner.delete(f"/api/queues/{other.public_id}/messages/{message_id}")
    assert_problem(response, 404, "message_not_found")


def test_it_is_404_for_anything_that_is_no_message(owner: Caller, messages: str) -> None:
    for message_id in (NOBODY, "msg_", "q_0000000000000000000000", "%00", "ü"):
        assert_problem(owner.delete(f"{messages}/{message_id}"), 404, "message_not_found")


# --- by receipt handles


def test_it_answers_each_handle_in_order(owner: Caller, queue: Queue, messages: str) -> None:
    gone = in_flight_message(queue)
    owner.delete(f"{messages}/{gone.message_id}")
    stale, held = received_twice(owner, messages)
    handles = ["nonsense", held["receipt_handle"], gone.receipt_handle]
    stale_first = owner.post(f"{messages}/ack", {"receipt_handles": [stale["receipt_handle"]]}).json()
    results = owner.post(f"{messages}/ack", {"receipt_handles": handles}).json()["results"]
    assert stale_first["results"][0]["status"] == 409
    assert [result["receipt_handle"] for result in results] == handles
    assert [result["status"] for result in results] == [400, 200, 404]


def test_it_says_what_was_wrong_with_a_handle(owner: Caller, messages: str) -> None:
    [result] = owner.post(f"{messages}/ack", {"receipt_handles": ["nonsense"]}).json()["results"]
    assert result["error"]["code"] == "invalid_request"
    assert "message_id" not in result


def test_it_takes_a_handle_twice(owner: Caller, queue: Queue, messages: str) -> None:
    handle = in_flight_message(queue).receipt_handle
    response = owner.post(f"{messages}/ack", {"receipt_handles": [handle, handle]})
    assert response.status_code == 200
    assert not Message.objects.exists()


def test_it_takes_a_thousand_handles_and_no_more(owner: Caller, messages: str) -> None:
    response = owner.post(f"{messages}/ack", {"receipt_handles": ["x"] * 1000})
    assert len(response.json()["results"]) == 1000
    response = owner.post(f"{messages}/ack", {"receipt_handles": ["x"] * 1001})
    assert_problem(response, 400, "invalid_request", "receipt_handles")
