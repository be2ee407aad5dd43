"""Which key may make which call. The table is the contract's, not the code's."""

import pytest
from django.http import HttpResponse

from queues import limits
from queues.models import Queue, Team
from tests.factories import new_queue
from tests.queues.api.caller import Caller, assert_problem

QUEUE = "/api/queues/{id}"
MESSAGES = QUEUE + "/messages"
ONE = MESSAGES + "/msg_0000000000000000000000"
REDRIVE = QUEUE + "/redrives/rd_0000000000000000000000"
NEEDED = {
    ("get", "/api/queues"): None,
    ("post", "/api/queues"): "manage",
    ("get", QUEUE): None,
    ("patch", QUEUE): "manage",
    ("delete", QUEUE): "manage",
    ("get", QUEUE + "/stats"): None,
    ("get", QUEUE + "/metrics"): None,
    ("get", QUEUE + "/advice"): None,
    ("get", QUEUE + "/scaling"): None,
    ("post", QUEUE + "/purge"): "manage",
    ("post", QUEUE + "/pause"): "manage",
    ("post", QUEUE + "/resume"): "manage",
    ("post", MESSAGES): "send",
    ("post", MESSAGES + "/batch"): "send",
    ("get", MESSAGES): "receive",
    ("post", MESSAGES + "/receive"): "receive",
    ("post", MESSAGES + "/ack"): "receive",
    ("get", MESSAGES + "/browse"): None,
    ("get", ONE): None,
    ("delete", ONE): "receive",
    ("post", ONE + "/nack"): "receive",
    ("post", ONE + "/visibility"): "receive",
    ("post", ONE + "/requeue"): "manage",
    ("post", QUEUE + "/redrive"): "manage",
    ("get", QUEUE + "/redrives"): None,
    ("get", REDRIVE): None,
    ("post", REDRIVE + "/cancel"): "manage",
    ("post", REDRIVE + "/undo"): "manage",
    ("get", "/api/whoami"): None,
}
ABOUT_A_QUEUE = [call for call in NEEDED if "{id}" in call[1]]


def called(caller: Caller, method: str, path: str, queue: Queue) -> HttpResponse:
    return getattr(caller.http, method)(path.format(id=queue.public_id), content_type="application/json")


@pytest.mark.parametrize(("method", "path"), NEEDED)
@pytest.mark.parametrize("scope", limits.SCOPES)
def test_it_needs_its_scope(team: Team, queue: Queue, method: str, path: str, scope: str) -> None:
    response = called(Caller(team, "narrow", scope), method, path, queue)
    if NEEDED[method, path] in (None, scope):
        assert response.status_code != 403
    else:
        assert_problem(response, 403, "forbidden")


@pytest.mark.parametrize(("method", "path"), ABOUT_A_QUEUE)
def test_it_is_forbidden_outside_the_pattern_of_the_key(
    team: Team, queue: Queue, method: str, path: str
) -> None:
    caller = Caller(team, "narrow", pattern="billing-*")
    assert_problem(called(caller, method, path, queue), 403, "forbidden")


def test_it_is_allowed_inside_the_pattern_of_the_key(team: Team) -> None:
    queue = new_queue(team, name="billing-in")
    caller = Caller(team, "narrow", pattern="billing-*")
    assert called(caller, "get", QUEUE, queue).status_code == 200


def test_it_makes_queues_inside_its_pattern_only(team: Team) -> None:
    caller = Caller(team, "narrow", pattern="billing-*")
    assert caller.post("/api/queues", {"queue_name": "billing-out"}).status_code == 201
    response = caller.post("/api/queues", {"queue_name": "orders"})
    assert_problem(response, 403, "forbidden", "queue_name")
