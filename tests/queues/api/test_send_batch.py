import pytest

from queues.models import Message, Queue
from tests.factories import new_queue
from tests.queues.api.caller import Caller, assert_problem


def batch(caller: Caller, messages: str, *entries: object) -> list[dict[str, object]]:
    response = caller.post(f"{messages}/batch", {"messages": list(entries)})
    assert response.status_code == 200, response.content
    results: list[dict[str, object]] = response.json()["results"]
    return results


def test_it_answers_each_message_in_order(owner: Caller, messages: str) -> None:
    results = batch(owner, messages, {"data": "a"}, {"data": "b", "id": "mine"})
    stored = [message.public_id for message in Message.objects.order_by("id")]
    assert results == [
        {"id": "0", "status": 201, "message_id": stored[0]},
        {"id": "mine", "status": 201, "message_id": stored[1]},
    ]


def test_a_bad_entry_fails_alone(owner: Caller, messages: str) -> None:
    results = batch(
        owner,
        messages,
        {"data": "good"},
        {"data": 1},
        {},
        {"data": "x", "colour": "red"},
        {"data": "x" * 300_000},
    )
    assert [result["status"] for result in results] == [201, 400, 400, 400, 413]
    codes = [result["error"]["code"] for result in results[1:]]  # type: ignore[index]
    assert codes == ["invalid_request"] * 3 + ["message_too_large"]
    assert "colour" in results[3]["error"]["detail"]  # type: ignore[index]
    assert Message.objects.get().data == "good"


def test_it_fills_up_a_queue_in_order(owner: Caller) -> None:
    queue: Queue = new_queue(owner.team, queue_size=2)
    results = batch(owner, f"/api/queues/{queue.public_id}/messages", *[{"data": str(n)} for n in range(3)])
    assert [result["status"] for result in results] == [201, 201, 429]
    assert results[2]["error"]["code"] == "queue_full"  # type: ignore[index]


def test_it_takes_a_thousand(owner: Caller, messages: str) -> None:
    assert len(batch(owner, messages, *[{"data": "x"}] * 1000)) == 1000
    assert Message.objects.count() == 1000


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": None},
        {"messages": "x"},
        {"messages": [1]},
        {"messages": [{"data": "x"}] * 1001},
        {"messages": [{"data": "x", "id": ""}]},
        {"messages": [{"data": "x", "id": 7}]},
        {"messages": [{"data": "x", "id": "i" * 81}]},
        {"messages": [{"data": "x", "id": "same"}, {"data": "y", "id": "same"}]},
    ],
)
def test_it_refuses_what_is_not_a_batch_and_stores_nothing(
    owner: Caller, messages: str, body: object
) -> None:
    assert_problem(owner.post(f"{messages}/batch", body), 400, "invalid_request", "messages")
    assert not Message.objects.exists()
