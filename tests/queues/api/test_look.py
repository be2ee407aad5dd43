import pytest
from django.utils import timezone

from queues.models import Queue
from tests.factories import in_flight_message, new_queue
from tests.queues.api.caller import Caller, assert_problem


def test_it_shows_a_message_without_touching_it(owner: Caller, queue: Queue, messages: str) -> None:
    delivery = in_flight_message(queue, "x", timezone.now())
    shown = owner.get(f"{messages}/{delivery.message_id}").json()
    assert (shown["message_id"], shown["data"], shown["state"]) == (delivery.message_id, "x", "leased")
    assert shown["delivery_count"] == 1
    assert "receipt_handle" not in shown


def test_it_tells_what_happened_and_what_it_waits_for(owner: Caller, messages: str) -> None:
    message_id = owner.post(messages, {"data": "x"}).json()["message_id"]
    owner.get(messages, visibility_timeout=60)
    shown = owner.get(f"{messages}/{message_id}").json()
    assert [(entry["event"], entry["by"]) for entry in shown["timeline"]] == [
        ("sent", None),
        ("leased", "owner"),
    ]
    assert {key for entry in shown["timeline"] for key in entry} == {"at", "event", "detail", "by"}
    assert shown["why_not_delivered"]["code"] == "leased"
    assert shown["why_not_delivered"]["until"] == shown["invisible_until"]


def test_it_has_no_reason_when_nothing_keeps_it(owner: Caller, messages: str) -> None:
    message_id = owner.post(messages, {"data": "x"}).json()["message_id"]
    assert owner.get(f"{messages}/{message_id}").json()["why_not_delivered"] is None


def test_it_says_what_went_wrong_and_when(owner: Caller, messages: str) -> None:
    owner.post(messages, {"data": "x"})
    received = owner.get(messages).json()
    error = {"type": "TimeoutError", "message": "no answer"}
    path = f"{messages}/{received['message_id']}"
    owner.post(f"{path}/nack", {"receipt_handle": received["receipt_handle"], "error": error})
    shown = owner.get(path).json()
    assert (shown["error_type"], shown["last_error"]) == ("TimeoutError", error)
    assert shown["first_failed_at"] == shown["last_failed_at"] == shown["timeline"][-1]["at"]
    assert shown["timeline"][-1]["detail"] == "TimeoutError: no answer"


def test_it_shows_the_trace_of_the_send(owner: Caller, messages: str) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    for path, body in ((messages, {"data": "x"}), (f"{messages}/batch", {"messages": [{"data": "x"}]})):
        owner.http.post(
            path, body, "application/json", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
        )
    shown = owner.get(f"{messages}/browse").json()["results"]
    assert [message["trace_id"] for message in shown] == [trace, trace]


@pytest.mark.parametrize(
    "header",
    [
        "",
        "x",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{'a' * 32}-{'0' * 16}-01",
        f"ff-{'a' * 32}-00f067aa0ba902b7-01",
        f"00-{'A' * 32}-00f067aa0ba902b7-01",
        f"00-{'a' * 31}-00f067aa0ba902b7-01",
        f"00-{'a' * 32}-00f067aa0ba902b7-01-more",
    ],
)
def test_it_passes_over_a_trace_that_is_not_well_formed(owner: Caller, messages: str, header: str) -> None:
    owner.http.post(messages, {"data": "x"}, "application/json", headers={"traceparent": header})
    assert owner.get(f"{messages}/browse").json()["results"][0]["trace_id"] is None


def test_it_answers_a_head(owner: Caller, queue: Queue, messages: str) -> None:
    assert owner.head(f"{messages}/{in_flight_message(queue).message_id}").status_code == 200


def test_it_finds_no_message_of_another_queue(owner: Caller, queue: Queue, messages: str) -> None:
    elsewhere = in_flight_message(new_queue(queue.team))
    assert_problem(owner.get(f"{messages}/{elsewhere.message_id}"), 404, "message_not_found")


def test_it_is_404_for_anything_that_is_no_message(owner: Caller, messages: str) -> None:
    for message_id in ("msg_0000000000000000000000", "msg_zzzzzzzzzzzzzzzzzzzzzz", "x", "%00", "receive"):
        response = owner.get(f"{messages}/{message_id}")
        assert response.status_code == (405 if message_id == "receive" else 404)
