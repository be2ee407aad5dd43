"""Which key may make which call. The table is the contract's, not the code's."""

import pytest
from django.http import HttpResponse

from queues import limits
from queues.models import Queue, Team, Topic
from tests.factories import new_queue, new_topic
from tests.queues.api.caller import Caller, assert_problem

QUEUE = "/api/queues/{id}"
MESSAGES = QUEUE + "/messages"
ONE = MESSAGES + "/msg_0000000000000000000000"
REDRIVE = QUEUE + "/redrives/rd_0000000000000000000000"
TOPIC = "/api/topics/{topic}"
SUBSCRIPTION = TOPIC + "/subscriptions/sub_0000000000000000000000"
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
    ("get", "/api/topics"): None,
    ("post", "/api/topics"): "manage",
    ("get", TOPIC): None,
    ("delete", TOPIC): "manage",
    ("get", TOPIC + "/subscriptions"): None,
    ("post", TOPIC + "/subscriptions"): "manage",
    ("get", SUBSCRIPTION): None,
    ("delete", SUBSCRIPTION): "manage",
    ("post", TOPIC + "/messages"): "send",
    ("get", "/api/whoami"): None,
}
ABOUT_A_NAME = [call for call in NEEDED if "{" in call[1]]


def called(caller: Caller, method: str, path: str, queue: Queue, topic: Topic) -> HttpResponse:
    address = path.format(id=queue.public_id, topic=topic.public_id)
    return getattr(caller.http, method)(address, content_type="application/json")


@pytest.mark.parametrize(("method", "path"), NEEDED)
@pytest.mark.parametrize("scope", limits.SCOPES)
def test_it_needs_its_scope(
    team: Team, queue: Queue, topic: Topic, method: str, path: str, scope: str
) -> None:
    response = called(Caller(team, "narrow", scope), method, path, queue, topic)
    if NEEDED[method, path] in (None, scope):
        assert response.status_code != 403
    else:
        assert_problem(response, 403, "forbidden")


@pytest.mark.parametrize(("method", "path"), ABOUT_A_NAME)
def test_it_is_forbidden_outside_the_pattern_of_the_key(
    team: Team, queue: Queue, topic: Topic, method: str, path: str
) -> None:
    caller = Caller(team, "narrow", pattern="billing-*")
    assert_problem(called(caller, method, path, queue, topic), 403, "forbidden")


def test_it_is_allowed_inside_the_pattern_of_the_key(team: Team) -> None:
    queue, topic = new_queue(team, name="billing-in"), new_topic(team, "billing-news")
    caller = Caller(team, "narrow", pattern="billing-*")
    for path in (QUEUE, TOPIC):
        assert called(caller, "get", path, queue, topic).status_code == 200


def test_it_makes_queues_inside_its_pattern_only(team: Team) -> None:
    caller = Caller(team, "narrow", pattern="billing-*")
    assert caller.post("/api/queues", {"queue_name": "billing-out"}).status_code == 201
    response = caller.post("/api/queues", {"queue_name": "orders"})
    assert_problem(response, 403, "forbidden", "queue_name")


def test_it_makes_topics_inside_its_pattern_only(team: Team) -> None:
    caller = Caller(team, "narrow", pattern="billing-*")
    assert caller.post("/api/topics", {"topic_name": "billing-news"}).status_code == 201
    response = caller.post("/api/topics", {"topic_name": "events"})
    assert_problem(response, 403, "forbidden", "topic_name")
