from queues.models import Queue, Team
from tests.factories import new_queue, reloaded
from tests.queues.api.caller import Caller, assert_problem


def test_it_changes_what_is_given_and_nothing_else(owner: Caller, address: str) -> None:
    before = owner.get(address).json()
    response = owner.patch(address, {"visibility_timeout": 5, "tags": {"a": "b"}})
    assert response.status_code == 200
    assert response.json() == {**before, "visibility_timeout": 5, "tags": {"a": "b"}}


def test_it_holds_for_the_next_request(owner: Caller, teammate: Caller, address: str) -> None:
    owner.patch(address, {"queue_size": 1})
    assert teammate.post(f"{address}/messages", {"data": "1"}).status_code == 201
    assert_problem(teammate.post(f"{address}/messages", {"data": "2"}), 429, "queue_full")


def test_it_takes_an_empty_change(owner: Caller, address: str) -> None:
    assert owner.patch(address, {}).status_code == 200


def test_it_names_and_forgets_a_dlq(owner: Caller, team: Team, queue: Queue, address: str) -> None:
    dlq = new_queue(team, name="graveyard")
    assert owner.patch(address, {"dlq_id": dlq.public_id}).json()["dlq_id"] == dlq.public_id
    assert owner.patch(address, {"dlq_id": None}).json()["dlq_id"] is None
    assert reloaded(queue).dlq is None


def test_it_refuses_to_be_its_own_dlq(owner: Caller, queue: Queue, address: str) -> None:
    response = owner.patch(address, {"dlq_id": queue.public_id})
    assert_problem(response, 400, "invalid_request", "dlq_id")


def test_it_refuses_what_is_fixed_at_creation(owner: Caller, address: str) -> None:
    assert_problem(owner.patch(address, {"mode": "standard"}), 400, "invalid_request", "mode")
    assert_problem(owner.patch(address, {"queue_name": "x"}), 400, "invalid_request", "queue_name")


def test_it_refuses_null_where_null_means_nothing(owner: Caller, address: str) -> None:
    response = owner.patch(address, {"visibility_timeout": None})
    assert_problem(response, 400, "invalid_request", "visibility_timeout")


def test_it_weighs_a_change_against_the_settings_that_stay(owner: Caller, address: str) -> None:
    response = owner.patch(address, {"delay_seconds": 345_600})
    assert_problem(response, 400, "invalid_request", "delay_seconds")


def test_it_lets_a_key_name_only_dlqs_of_its_pattern(team: Team, address: str) -> None:
    other = new_queue(team, name="secret")
    response = Caller(team, "narrow", pattern="orders*").patch(address, {"dlq_id": other.public_id})
    assert_problem(response, 403, "forbidden", "dlq_id")
