from queues.models import Queue
from tests.factories import in_flight_message, ready_messages
from tests.queues.api.caller import Caller


def test_it_removes_every_message(owner: Caller, queue: Queue, address: str) -> None:
    in_flight_message(queue)
    ready_messages(queue, "a", "b")
    response = owner.post(f"{address}/purge")
    assert (response.status_code, response.json()) == (200, {"purged": 3})
    assert owner.get(address).json()["current_message_count"] == 0


def test_it_purges_an_empty_queue(owner: Caller, address: str) -> None:
    assert owner.post(f"{address}/purge", {}).json() == {"purged": 0}
