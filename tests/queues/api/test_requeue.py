import pytest

from queues.models import Message, Queue, Team
from queues.operations import queues
from tests.factories import dead_letter, new_queue, ready_message
from tests.queues.api.caller import Caller, assert_problem


@pytest.fixture
def queue(team: Team) -> Queue:
    return new_queue(team, name="orders", queue_size=1)


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    return dead_letter(queue)


@pytest.fixture
def grave(dlq: Queue) -> str:
    """The address of the one dead letter."""
    message = Message.objects.get(queue_id=dlq.pk)
    return f"/api/queues/{dlq.public_id}/messages/{message.public_id}"


def test_it_goes_back_to_the_queue_it_died_in(owner: Caller, queue: Queue, grave: str, messages: str) -> None:
    response = owner.post(f"{grave}/requeue")
    assert response.status_code == 200
    assert response.json() == {"message_id": grave.rpartition("/")[2], "requeued_to": queue.public_id}
    again = owner.get(messages).json()
    assert (again["data"], again["delivery_count"]) == ("poison", 1)


def test_it_is_404_the_second_time(owner: Caller, grave: str) -> None:
    owner.post(f"{grave}/requeue")
    assert_problem(owner.post(f"{grave}/requeue"), 404, "message_not_found")


def test_it_stays_when_the_source_is_full(owner: Caller, queue: Queue, grave: str) -> None:
    ready_message(queue)
    response = owner.post(f"{grave}/requeue")
    assert_problem(response, 429, "queue_full")
    assert int(response["Retry-After"]) >= 1
    assert owner.get(grave).status_code == 200


def test_it_stays_when_the_source_is_deleted(owner: Caller, queue: Queue, grave: str) -> None:
    queues.delete(queue)
    assert_problem(owner.post(f"{grave}/requeue"), 409, "source_deleted")


def test_it_refuses_a_message_that_never_died(owner: Caller, dlq: Queue) -> None:
    messages = f"/api/queues/{dlq.public_id}/messages"
    dlq_size = {"queue_size": None}
    owner.patch(f"/api/queues/{dlq.public_id}", dlq_size)
    sent = owner.post(messages, {"data": "x"}).json()["message_id"]
    assert_problem(owner.post(f"{messages}/{sent}/requeue"), 409, "not_a_dead_letter")


def test_it_takes_no_fields(owner: Caller, grave: str) -> None:
    assert_problem(owner.post(f"{grave}/requeue", {"to": "x"}), 400, "invalid_request", "to")
