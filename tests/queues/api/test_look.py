from queues.models import Queue
from tests.factories import in_flight_message, new_queue
from tests.queues.api.caller import Caller, assert_problem


def test_it_shows_a_message_without_touching_it(owner: Caller, queue: Queue, messages: str) -> None:
    delivery = in_flight_message(queue, "x")
    shown = owner.get(f"{messages}/{delivery.message_id}").json()
    assert (shown["message_id"], shown["data"], shown["state"]) == (delivery.message_id, "x", "leased")
    assert shown["delivery_count"] == 1
    assert "receipt_handle" not in shown


def test_it_answers_a_head(owner: Caller, queue: Queue, messages: str) -> None:
    assert owner.head(f"{messages}/{in_flight_message(queue).message_id}").status_code == 200


def test_it_finds_no_message_of_another_queue(owner: Caller, queue: Queue, messages: str) -> None:
    elsewhere = in_flight_message(new_queue(queue.team))
    assert_problem(owner.get(f"{messages}/{elsewhere.message_id}"), 404, "message_not_found")


def test_it_is_404_for_anything_that_is_no_message(owner: Caller, messages: str) -> None:
    for message_id in ("msg_0000000000000000000000", "msg_zzzzzzzzzzzzzzzzzzzzzz", "x", "%00", "receive"):
        response = owner.get(f"{messages}/{message_id}")
        assert response.status_code == (405 if message_id == "receive" else 404)
