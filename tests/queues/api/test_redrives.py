from typing import Any

import pytest

from queues.maintenance import redrive as duty
from queues.models import Message, Queue, Team
from queues.operations import queues
from queues.operations.receive import receive
from tests.factories import dead_letter, new_queue, ready_message
from tests.queues.api.caller import Caller, assert_problem

UNKNOWN = "rd_0000000000000000000000"


@pytest.fixture
def queue(team: Team) -> Queue:
    return new_queue(team, name="orders", max_deliveries=1)


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    dead_letter(queue, "one")
    return dead_letter(queue, "two")


@pytest.fixture
def redrive(dlq: Queue) -> str:
    return f"/api/queues/{dlq.public_id}/redrive"


@pytest.fixture
def started(owner: Caller, redrive: str) -> str:
    """The address of a redrive that has begun."""
    return f"{redrive}s/{owner.post(redrive).json()['redrive_id']}"


def work() -> None:
    while duty.run_once(100):
        pass


def live(queue: Queue) -> int:
    return Message.objects.filter(queue_id=queue.pk).count()


class TestStart:
    def test_it_answers_at_once_and_moves_later(
        self, owner: Caller, queue: Queue, dlq: Queue, redrive: str
    ) -> None:
        response = owner.post(redrive)
        assert response.status_code == 202
        answer = response.json()
        assert (answer["status"], answer["matched"]) == ("running", 2)
        assert answer["redrive_id"].startswith("rd_")
        assert live(dlq) == 2
        work()
        assert (live(queue), live(dlq)) == (2, 0)

    def test_it_is_completed_at_once_when_nothing_matches(self, owner: Caller, redrive: str) -> None:
        answer = owner.post(redrive, {"filter": {"fingerprint": "none"}}).json()
        assert (answer["status"], answer["matched"]) == ("completed", 0)

    def test_it_takes_every_option(self, owner: Caller, team: Team, redrive: str) -> None:
        target = new_queue(team)
        body = {
            "target_queue_id": target.public_id,
            "filter": {"max_redrive_count": 5, "dead_lettered_after": "2000-01-01T00:00:00Z"},
            "limit": 1,
            "max_messages_per_second": 100,
            "canary": {"steps": [1]},
            "dry_run": False,
        }
        started = owner.post(redrive, body)
        assert started.status_code == 202
        work()
        shown = owner.get(f"{redrive}s/{started.json()['redrive_id']}").json()
        assert (shown["status"], shown["moved"], shown["target_queue_id"]) == (
            "completed",
            1,
            target.public_id,
        )
        assert shown["canary"] == {"steps": [1], "max_return_ratio": 0.1, "watch_seconds": 60}
        assert shown["requested_by"] == "owner"

    def test_it_is_409_while_another_runs(self, owner: Caller, redrive: str) -> None:
        owner.post(redrive)
        assert_problem(owner.post(redrive), 409, "redrive_active")

    def test_it_plans_without_moving_anything(
        self, owner: Caller, queue: Queue, dlq: Queue, redrive: str
    ) -> None:
        receive(dlq)
        response = owner.post(redrive, {"dry_run": True})
        assert response.status_code == 200
        assert response.json() == {
            "matched": 2,
            "targets": [{"queue_id": queue.public_id, "count": 1}],
            "blocked": [{"reason": "leased", "count": 1}],
        }
        assert live(dlq) == 2
        assert owner.get(f"{redrive}s").json()["results"] == []

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"filter": {"colour": "red"}}, "filter.colour"),
            ({"filter": {"message_ids": []}}, "filter.message_ids"),
            ({"filter": {"message_ids": "msg_x"}}, "filter.message_ids"),
            (
                {"filter": {"dead_lettered_before": "0001-01-01T00:00:00+23:59"}},
                "filter.dead_lettered_before",
            ),
            ({"filter": {"attribute": {"k": None}}}, "filter.attribute"),
            ({"canary": {"steps": ["1"]}}, "canary.steps"),
            ({"canary": {"steps": [1], "watch_seconds": 0}, "dry_run": True}, "canary.watch_seconds"),
            ({"dry_run": "true"}, "dry_run"),
            ({"target_queue_id": "q_x"}, "target_queue_id"),
        ],
    )
    def test_it_names_the_field_that_is_wrong(
        self, owner: Caller, redrive: str, body: dict[str, Any], field: str
    ) -> None:
        assert_problem(owner.post(redrive, body), 400, "invalid_request", field)

    def test_it_knows_no_target_of_another_team(self, owner: Caller, stranger: Caller, redrive: str) -> None:
        theirs = new_queue(stranger.team)
        response = owner.post(redrive, {"target_queue_id": theirs.public_id})
        assert_problem(response, 400, "invalid_request", "target_queue_id")

    def test_it_is_forbidden_to_use_a_target_outside_the_key_s_pattern(
        self, team: Team, redrive: str
    ) -> None:
        narrow = Caller(team, "narrow", pattern="orders*")
        response = narrow.post(redrive, {"target_queue_id": new_queue(team, name="other").public_id})
        assert_problem(response, 403, "forbidden", "target_queue_id")


class TestGet:
    def test_it_shows_how_far_it_has_come(self, owner: Caller, dlq: Queue, started: str) -> None:
        running = owner.get(started).json()
        assert (running["status"], running["moved"], running["finished_at"]) == ("running", 0, None)
        receive(dlq)
        work()
        over = owner.get(started).json()
        assert (over["status"], over["matched"], over["moved"]) == ("completed", 2, 1)
        assert over["skipped"] == [{"reason": "leased", "count": 1}]
        assert over["finished_at"].endswith("Z")
        assert over["eta_seconds"] is None

    def test_it_is_404_for_what_is_not_there(self, owner: Caller, redrive: str) -> None:
        for redrive_id in (UNKNOWN, "x", "msg_0000000000000000000000"):
            assert_problem(owner.get(f"{redrive}s/{redrive_id}"), 404, "redrive_not_found")

    def test_it_is_404_under_another_queue(self, owner: Caller, address: str, started: str) -> None:
        redrive_id = started.rpartition("/")[2]
        assert_problem(owner.get(f"{address}/redrives/{redrive_id}"), 404, "redrive_not_found")


class TestList:
    def test_it_shows_the_latest_first_in_pages(self, owner: Caller, redrive: str) -> None:
        begun = [
            owner.post(redrive, {"filter": {"fingerprint": "none"}}).json()["redrive_id"] for _ in range(3)
        ]
        first = owner.get(f"{redrive}s", page_size=2).json()
        assert [task["redrive_id"] for task in first["results"]] == [begun[2], begun[1]]
        assert first["previous"] is None
        second = owner.http.get(first["next"]).json()
        assert [task["redrive_id"] for task in second["results"]] == [begun[0]]
        assert second["next"] is None
        assert owner.http.get(second["previous"]).json()["results"] == first["results"]


class TestCancel:
    def test_it_ends_it(self, owner: Caller, dlq: Queue, started: str) -> None:
        response = owner.post(f"{started}/cancel")
        assert (response.status_code, response.json()["status"]) == (200, "cancelled")
        work()
        assert live(dlq) == 2

    def test_it_leaves_one_that_is_over_as_it_is(self, owner: Caller, started: str) -> None:
        work()
        assert owner.post(f"{started}/cancel").json()["status"] == "completed"

    def test_it_is_404_for_what_is_not_there(self, owner: Caller, redrive: str) -> None:
        assert_problem(owner.post(f"{redrive}s/{UNKNOWN}/cancel"), 404, "redrive_not_found")


class TestUndo:
    def test_it_pulls_back_what_nobody_received(
        self, owner: Caller, queue: Queue, dlq: Queue, started: str
    ) -> None:
        work()
        receive(queue)
        response = owner.post(f"{started}/undo")
        assert (response.status_code, response.json()) == (200, {"undone": 1})
        assert (live(queue), live(dlq)) == (1, 1)
        assert owner.get(started).json()["undone"] == 1

    def test_it_is_429_when_there_is_no_room(self, owner: Caller, dlq: Queue, started: str) -> None:
        work()
        queues.update(dlq, queue_size=1)
        ready_message(dlq)
        assert_problem(owner.post(f"{started}/undo"), 429, "queue_full")
