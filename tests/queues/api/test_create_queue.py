from queues.models import Queue, Team
from tests.factories import new_queue
from tests.queues.api.caller import Caller, assert_problem

ALL_SETTINGS = {
    "queue_name": "orders",
    "mode": "standard",
    "queue_size": 100,
    "visibility_timeout": 45,
    "max_deliveries": 5,
    "delay_seconds": 1,
    "retention_seconds": 3600,
    "max_message_bytes": 2048,
    "receive_wait_seconds": 10,
    "target_age_seconds": 60,
    "allow_edit": True,
    "tags": {"cost-centre": "42"},
    "description": "Orders to pack. Ünïcödé.",
}


def test_it_answers_the_id_of_the_new_queue(owner: Caller) -> None:
    response = owner.post("/api/queues", {"queue_name": "orders"})
    assert response.status_code == 201
    assert response.json() == {"queue_id": Queue.objects.get().public_id}


def test_it_has_the_defaults_of_the_contract(owner: Caller) -> None:
    owner.post("/api/queues", {"queue_name": "orders"})
    queue = Queue.objects.get()
    assert (queue.queue_size, queue.visibility_timeout, queue.max_deliveries) == (None, 30, 3)
    assert (queue.retention_seconds, queue.max_message_bytes) == (345_600, 262_144)


def test_it_keeps_every_setting(owner: Caller) -> None:
    created = owner.post("/api/queues", ALL_SETTINGS).json()
    shown = owner.get(f"/api/queues/{created['queue_id']}").json()
    assert {name: shown[name] for name in ALL_SETTINGS} == ALL_SETTINGS


def test_it_takes_null_for_no_bound(owner: Caller) -> None:
    body = {"queue_name": "orders", "queue_size": None, "max_deliveries": None, "target_age_seconds": None}
    assert owner.post("/api/queues", body).status_code == 201


def test_it_answers_the_queue_there_is_when_the_settings_are_the_same(
    owner: Caller, teammate: Caller
) -> None:
    first = owner.post("/api/queues", ALL_SETTINGS)
    again = teammate.post("/api/queues", ALL_SETTINGS)
    assert (again.status_code, again.json()) == (200, first.json())


def test_it_refuses_the_same_name_with_other_settings(owner: Caller, queue: Queue) -> None:
    response = owner.post("/api/queues", {"queue_name": queue.name, "visibility_timeout": 1})
    assert_problem(response, 409, "conflict", "queue_name")


def test_it_lets_another_team_use_the_name(stranger: Caller, queue: Queue) -> None:
    assert stranger.post("/api/queues", {"queue_name": queue.name}).status_code == 201


def test_it_names_its_dlq_up_front(owner: Caller, queue: Queue) -> None:
    created = owner.post("/api/queues", {"queue_name": "invoices", "dlq_id": queue.public_id}).json()
    assert owner.get(f"/api/queues/{created['queue_id']}").json()["dlq_id"] == queue.public_id


def test_it_refuses_a_dlq_that_is_not_there(owner: Caller) -> None:
    response = owner.post("/api/queues", {"queue_name": "invoices", "dlq_id": "q_nothing"})
    assert_problem(response, 400, "invalid_request", "dlq_id")


def test_it_refuses_a_dlq_of_another_team(stranger: Caller, queue: Queue) -> None:
    response = stranger.post("/api/queues", {"queue_name": "invoices", "dlq_id": queue.public_id})
    assert_problem(response, 400, "invalid_request", "dlq_id")


def test_it_refuses_more_queues_than_the_team_may_have(owner: Caller, team: Team) -> None:
    team.max_queues = 1
    team.save()
    new_queue(team)
    assert_problem(owner.post("/api/queues", {"queue_name": "orders"}), 403, "quota_exceeded")


def test_it_refuses_settings_that_contradict_each_other(owner: Caller) -> None:
    body = {"queue_name": "orders", "delay_seconds": 60, "retention_seconds": 60}
    assert_problem(owner.post("/api/queues", body), 400, "invalid_request", "delay_seconds")


def test_it_says_what_is_wrong_with_every_field_at_once(owner: Caller) -> None:
    problem = assert_problem(owner.post("/api/queues", {"queue_size": 0}), 400, "invalid_request")
    assert {error["field"] for error in problem["errors"]} == {"queue_name", "queue_size"}
