from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues.models import Queue, Team
from queues.operations import queues
from tests.factories import dead_letter, new_queue
from tests.queues.api.caller import Caller, assert_problem


def names(caller: Caller, **query: object) -> list[str]:
    return [queue["queue_name"] for queue in caller.get("/api/queues", **query).json()["results"]]


def test_it_shows_the_queues_of_the_team(owner: Caller, teammate: Caller, team: Team) -> None:
    for name in ("a", "b"):
        new_queue(team, name=name)
    assert names(owner) == names(teammate) == ["a", "b"]


def test_it_shows_settings_and_flags_but_counts_nothing(owner: Caller, queue: Queue) -> None:
    [shown] = owner.get("/api/queues").json()["results"]
    assert shown["queue_id"] == queue.public_id
    assert (shown["visibility_timeout"], shown["is_dlq"], shown["paused"]) == (30, False, False)
    assert not [name for name in shown if "count" in name]


def test_it_hides_deleted_queues(owner: Caller, queue: Queue) -> None:
    queues.delete(queue)
    assert names(owner) == []


def test_it_takes_the_beginning_of_a_name_literally(owner: Caller, team: Team) -> None:
    for name in ("a_1", "ab1", "b"):
        new_queue(team, name=name)
    assert names(owner, name_prefix="a_") == ["a_1"]


def test_it_finds_queues_by_tag(owner: Caller, team: Team) -> None:
    new_queue(team, name="ours", tags={"env": "a:b"})
    new_queue(team, name="other", tags={"env": "a"})
    assert names(owner, tag="env:a:b") == ["ours"]


def test_it_tells_dead_letter_queues_from_others(owner: Caller, queue: Queue) -> None:
    dead_letter(queue)
    assert names(owner, is_dlq="true") == ["orders-dlq"]
    assert names(owner, is_dlq="false") == ["orders"]


def test_it_says_where_dead_letters_go_and_come_from(owner: Caller, queue: Queue) -> None:
    dead_letter(queue)
    source, dlq = owner.get("/api/queues").json()["results"]
    assert source["dlq_id"] == dlq["queue_id"]
    assert dlq["source_queue_ids"] == [source["queue_id"]]


def test_it_hides_queues_outside_the_pattern_of_the_key(team: Team) -> None:
    for name in ("billing-in", "billing-out", "orders"):
        new_queue(team, name=name)
    assert names(Caller(team, "billing", pattern="billing-*")) == ["billing-in", "billing-out"]


def test_it_runs_as_many_statements_for_many_queues_as_for_one(owner: Caller, team: Team) -> None:
    new_queue(team)
    owner.get("/api/queues")  # the first call of a key also notes that it is in use
    with CaptureQueriesContext(connection) as one:
        owner.get("/api/queues")
    for _ in range(10):
        dead_letter(new_queue(team, max_deliveries=1))
    with CaptureQueriesContext(connection) as many:
        owner.get("/api/queues", page_size=200)
    assert len(many) == len(one)


def test_it_refuses_a_tag_without_a_value(owner: Caller) -> None:
    assert_problem(owner.get("/api/queues", tag="env"), 400, "invalid_request", "tag")
