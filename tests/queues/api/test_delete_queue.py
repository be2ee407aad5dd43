from queues.models import Queue
from tests.factories import dead_letter
from tests.queues.api.caller import Caller, assert_problem


def test_it_is_gone_at_once(owner: Caller, queue: Queue, address: str) -> None:
    response = owner.delete(address)
    assert response.status_code == 200
    assert response.json() == {"queue_id": queue.public_id, "deleted": True, "kept_dlq_id": None}
    assert_problem(owner.get(address), 404, "queue_not_found")
    assert_problem(owner.post(f"{address}/messages", {"data": "x"}), 404, "queue_not_found")


def test_it_is_404_the_second_time(owner: Caller, address: str) -> None:
    owner.delete(address)
    assert_problem(owner.delete(address), 404, "queue_not_found")


def test_it_frees_the_name(owner: Caller, queue: Queue, address: str) -> None:
    owner.delete(address)
    again = owner.post("/api/queues", {"queue_name": queue.name, "visibility_timeout": 1})
    assert again.status_code == 201


def test_it_keeps_a_dlq_that_holds_dead_letters(owner: Caller, queue: Queue, address: str) -> None:
    dlq = dead_letter(queue)
    assert owner.delete(address).json()["kept_dlq_id"] == dlq.public_id
    kept = owner.get(f"/api/queues/{dlq.public_id}").json()
    assert (kept["is_dlq"], kept["current_message_count"]) == (False, 1)


def test_it_deletes_the_dlq_too_when_asked(owner: Caller, queue: Queue, address: str) -> None:
    dlq = dead_letter(queue)
    assert owner.delete(address, with_dlq="true").json()["kept_dlq_id"] is None
    assert_problem(owner.get(f"/api/queues/{dlq.public_id}"), 404, "queue_not_found")


def test_it_takes_true_and_false_only(owner: Caller, address: str) -> None:
    for word in ("True", "1", "yes", ""):
        assert_problem(owner.delete(address, with_dlq=word), 400, "invalid_request", "with_dlq")
