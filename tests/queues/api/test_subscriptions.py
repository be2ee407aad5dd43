from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from queues import limits
from queues.models import Queue, Subscription, Team, Topic
from queues.operations import queues, topics
from tests.factories import new_queue, new_topic
from tests.queues.api.caller import Caller, assert_problem

FILTER = {
    "kind": ["order.placed", {"prefix": "refund."}],
    "stage": [{"anything-but": ["test"]}],
    "amount": [{"numeric": [">=", 100, "<", 500]}],
    "replayed": [{"exists": False}],
}


@pytest.fixture
def address(topic: Topic) -> str:
    return f"/api/topics/{topic.public_id}/subscriptions"


def subscribe(caller: Caller, address: str, queue: Queue, **fields: Any) -> HttpResponse:
    return caller.post(address, {"queue_id": queue.public_id, **fields})


class TestCreate:
    def test_it_answers_the_id_of_the_new_subscription(
        self, owner: Caller, address: str, queue: Queue
    ) -> None:
        response = subscribe(owner, address, queue, filter=FILTER)
        assert response.status_code == 201
        assert response.json() == {"subscription_id": Subscription.objects.get().public_id}
        assert response.json()["subscription_id"].startswith("sub_")

    def test_it_answers_the_subscription_there_is(self, owner: Caller, address: str, queue: Queue) -> None:
        first = subscribe(owner, address, queue, filter=FILTER)
        again = subscribe(owner, address, queue, filter=FILTER)
        assert (again.status_code, again.json()) == (200, first.json())

    def test_no_filter_is_the_same_as_null(self, owner: Caller, address: str, queue: Queue) -> None:
        subscribe(owner, address, queue)
        assert subscribe(owner, address, queue, filter=None).status_code == 200

    def test_it_refuses_the_same_queue_with_another_filter(
        self, owner: Caller, address: str, queue: Queue
    ) -> None:
        subscribe(owner, address, queue)
        response = subscribe(owner, address, queue, filter=FILTER)
        assert_problem(response, 409, "conflict", "queue_id")

    @pytest.mark.parametrize(
        ("policy", "place"),
        [
            ({"kind": "order"}, "filter.kind"),
            ({"kind": ["order", None]}, "filter.kind.1"),
            ({"kind": [{"suffix": "x"}]}, "filter.kind.0"),
            ({"kind": [{"numeric": [">", "1"]}]}, "filter.kind.0.numeric.1"),
            ({"a.b": [{"anything-but": [{}]}]}, "filter.a.b.0.anything-but.0"),
            ({f"k{n}": ["x"] for n in range(11)}, "filter"),
        ],
    )
    def test_it_names_the_place_in_the_filter(
        self, owner: Caller, address: str, queue: Queue, policy: dict[str, Any], place: str
    ) -> None:
        response = subscribe(owner, address, queue, filter=policy)
        assert_problem(response, 400, "invalid_request", place)
        assert not Subscription.objects.exists()

    def test_it_refuses_a_queue_that_is_deleted(self, owner: Caller, address: str, queue: Queue) -> None:
        queues.delete(queue)
        assert_problem(subscribe(owner, address, queue), 400, "invalid_request", "queue_id")

    def test_it_refuses_more_than_a_topic_may_have(
        self, owner: Caller, address: str, queue: Queue, team: Team, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "SUBSCRIPTIONS_PER_TOPIC", 1)
        subscribe(owner, address, new_queue(team))
        assert_problem(subscribe(owner, address, queue), 403, "quota_exceeded")


class TestShow:
    def test_it_shows_a_subscription(self, owner: Caller, address: str, topic: Topic, queue: Queue) -> None:
        made = subscribe(owner, address, queue, filter=FILTER).json()["subscription_id"]
        shown = owner.get(f"{address}/{made}").json()
        assert shown.pop("created_at").endswith("Z")
        assert shown == {
            "subscription_id": made,
            "topic_id": topic.public_id,
            "queue_id": queue.public_id,
            "filter": FILTER,
        }

    def test_it_lists_subscriptions_as_it_shows_them(
        self, owner: Caller, address: str, topic: Topic, team: Team
    ) -> None:
        topics.subscribe(new_topic(team, "other"), new_queue(team))
        made = [topics.subscribe(topic, new_queue(team))[0].public_id for _ in range(3)]
        first = owner.get(address, page_size=2).json()
        second = owner.get(first["next"]).json()
        assert first["results"] + second["results"] == [
            owner.get(f"{address}/{name}").json() for name in made
        ]

    def test_it_runs_as_many_statements_for_many_as_for_one(
        self, owner: Caller, address: str, topic: Topic, team: Team
    ) -> None:
        topics.subscribe(topic, new_queue(team))
        owner.get(address)  # the first call of a key also notes that it is in use
        with CaptureQueriesContext(connection) as one:
            owner.get(address)
        for _ in range(10):
            topics.subscribe(topic, new_queue(team))
        with CaptureQueriesContext(connection) as many:
            owner.get(address)
        assert len(many) == len(one)

    def test_there_is_no_such_subscription(self, owner: Caller, address: str) -> None:
        for name in ("sub_0000000000000000000000", "x"):
            assert_problem(owner.get(f"{address}/{name}"), 404, "subscription_not_found")


class TestDelete:
    def test_it_ends_a_subscription(self, owner: Caller, address: str, queue: Queue) -> None:
        made = subscribe(owner, address, queue).json()["subscription_id"]
        ended = owner.delete(f"{address}/{made}")
        assert (ended.status_code, ended.json()) == (200, {"subscription_id": made, "deleted": True})
        for call in (owner.delete, owner.get):
            assert_problem(call(f"{address}/{made}"), 404, "subscription_not_found")
