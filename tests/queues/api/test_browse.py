from django.utils import timezone

from queues.models import Message, Queue
from tests.factories import dead_letter, in_flight_message, ready_message, ready_messages
from tests.queues.api.caller import Caller, assert_problem


def browsed(caller: Caller, messages: str, **query: object) -> list[str]:
    return [message["data"] for message in caller.get(f"{messages}/browse", **query).json()["results"]]


def test_it_shows_messages_without_receiving_them(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "a", "b")
    assert browsed(owner, messages) == browsed(owner, messages) == ["a", "b"]
    assert not Message.objects.filter(delivery_count__gt=0).exists()


def test_it_shows_a_state_and_no_receipt(owner: Caller, queue: Queue, messages: str) -> None:
    in_flight_message(queue, now=timezone.now())
    [message] = owner.get(f"{messages}/browse").json()["results"]
    assert message["state"] == "leased"
    assert message["invisible_until"] is not None
    assert "receipt_handle" not in message


def test_it_finds_messages_by_state(owner: Caller, queue: Queue, messages: str) -> None:
    now = timezone.now()
    in_flight_message(queue, "leased", now)
    ready_message(queue, "ready", now)
    ready_message(queue, "delayed", now, delay_seconds=60)
    for state in ("ready", "leased", "delayed"):
        assert browsed(owner, messages, state=state) == [state]
    assert browsed(owner, messages, state="exhausted") == []


def test_it_finds_messages_by_group(owner: Caller, queue: Queue, messages: str) -> None:
    ready_message(queue, "ours", group_id="a")
    ready_message(queue, "other", group_id="b")
    assert browsed(owner, messages, group_id="a") == ["ours"]


def test_it_finds_messages_by_a_part_of_their_data(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "100 % sure", "100 x sure")
    assert browsed(owner, messages, q="0 % s") == ["100 % sure"]


def test_it_finds_messages_by_attribute(owner: Caller, queue: Queue, messages: str) -> None:
    ready_message(queue, "ours", attributes={"kind": "a:b"})
    ready_message(queue, "other", attributes={"kind": "a"})
    assert browsed(owner, messages, attribute="kind:a:b") == ["ours"]


def test_it_shows_dead_letters_with_their_source(owner: Caller, queue: Queue) -> None:
    dlq = dead_letter(queue)
    [message] = owner.get(f"/api/queues/{dlq.public_id}/messages/browse").json()["results"]
    assert message["source_queue_id"] == queue.public_id


def test_it_refuses_a_state_that_does_not_exist(owner: Caller, messages: str) -> None:
    for state in ("expired", "READY", "", "\x00"):
        response = owner.get(f"{messages}/browse", state=state)
        assert_problem(response, 400, "invalid_request", "state")
