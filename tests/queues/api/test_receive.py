import pytest

from queues.models import Message, Queue
from tests.factories import dead_letter, ready_messages
from tests.queues.api.caller import Caller, assert_problem

CONTRACT = {
    *"message_id receipt_handle data attributes delivery_count enqueued_at first_delivered_at".split(),
    *"invisible_until group_id priority key sequence last_error".split(),
}
DEAD_LETTER = set("source_queue_id dead_lettered_at dead_letter_reason fingerprint redrive_count".split())


def test_it_answers_the_next_message(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "first", "second")
    response = owner.get(messages)
    assert response.status_code == 200
    assert (response.json()["data"], response.json()["delivery_count"]) == ("first", 1)


def test_it_has_the_fields_of_the_contract(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "x")
    assert set(owner.get(messages).json()) == CONTRACT


def test_it_answers_null_when_there_is_none(owner: Caller, messages: str) -> None:
    assert owner.get(messages).json() == {"message": None}


def test_it_hides_the_message_from_others(
    owner: Caller, teammate: Caller, queue: Queue, messages: str
) -> None:
    ready_messages(queue, "x")
    owner.get(messages)
    assert teammate.get(messages).json() == {"message": None}


def test_it_takes_a_visibility_timeout(owner: Caller, teammate: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "x")
    first = owner.get(messages, visibility_timeout=0).json()
    again = teammate.get(messages).json()
    assert again["message_id"] == first["message_id"]
    assert again["receipt_handle"] != first["receipt_handle"]


def test_it_answers_a_list_when_a_limit_is_given(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "a", "b", "c")
    found = owner.get(messages, limit=2).json()["messages"]
    assert [message["data"] for message in found] == ["a", "b"]
    assert len(owner.get(messages, limit=1).json()["messages"]) == 1
    assert owner.get(messages, limit=1000).json() == {"messages": []}


def test_it_receives_several_by_post(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "a", "b", "c")
    body = {"max_messages": 2, "visibility_timeout": 60}
    found = owner.post(f"{messages}/receive", body).json()["messages"]
    assert [message["data"] for message in found] == ["a", "b"]


def test_it_receives_one_by_post_unless_told_otherwise(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "a", "b")
    assert len(owner.post(f"{messages}/receive").json()["messages"]) == 1
    assert len(owner.post(f"{messages}/receive", {}).json()["messages"]) == 1


def test_it_is_never_cached(owner: Caller, messages: str) -> None:
    assert owner.get(messages)["Cache-Control"] == "no-store"
    assert owner.post(f"{messages}/receive")["Cache-Control"] == "no-store"


def test_it_leases_nothing_for_a_head(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "x")
    response = owner.head(messages)
    assert (response.status_code, response["Allow"]) == (405, "GET, POST")
    assert Message.objects.get().delivery_count == 0


@pytest.mark.parametrize("parameter", ["attempt_id", "max_messages", "Limit"])
def test_it_refuses_query_parameters_it_does_not_know(owner: Caller, messages: str, parameter: str) -> None:
    assert_problem(owner.get(messages, **{parameter: 1}), 400, "invalid_request", parameter)


def test_it_refuses_a_parameter_given_twice(owner: Caller, messages: str) -> None:
    assert_problem(owner.get(messages, limit=[1, 2]), 400, "invalid_request", "limit")


def test_it_tells_of_a_dead_letter_where_it_died(owner: Caller, queue: Queue) -> None:
    dlq = dead_letter(queue)
    message = owner.get(f"/api/queues/{dlq.public_id}/messages").json()
    assert set(message) == CONTRACT | DEAD_LETTER
    assert message["source_queue_id"] == queue.public_id
    assert message["dead_letter_reason"] == "max_deliveries_exceeded"
    assert message["dead_lettered_at"].endswith("Z")


def test_it_names_no_source_that_has_been_deleted(owner: Caller, queue: Queue, address: str) -> None:
    dlq = dead_letter(queue)
    owner.delete(address)
    message = owner.get(f"/api/queues/{dlq.public_id}/messages").json()
    assert (message["data"], message["source_queue_id"]) == ("poison", None)
