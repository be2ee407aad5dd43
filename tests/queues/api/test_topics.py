from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues.models import Queue, Team, Topic
from queues.operations import queues, topics
from tests.factories import new_queue, new_topic
from tests.queues.api.caller import Caller, assert_problem


def names(caller: Caller, **query: object) -> list[str]:
    return [topic["topic_name"] for topic in caller.get("/api/topics", **query).json()["results"]]


class TestCreate:
    def test_it_answers_the_id_of_the_new_topic(self, owner: Caller) -> None:
        response = owner.post("/api/topics", {"topic_name": "events"})
        assert response.status_code == 201
        assert response.json() == {"topic_id": Topic.objects.get().public_id}
        assert response.json()["topic_id"].startswith("t_")

    def test_it_answers_the_topic_there_is(self, owner: Caller, teammate: Caller) -> None:
        first = owner.post("/api/topics", {"topic_name": "events"})
        again = teammate.post("/api/topics", {"topic_name": "events"})
        assert (again.status_code, again.json()) == (200, first.json())

    def test_it_lets_another_team_use_the_name(self, stranger: Caller, topic: Topic) -> None:
        assert stranger.post("/api/topics", {"topic_name": topic.name}).status_code == 201

    def test_it_refuses_more_topics_than_the_team_may_have(self, owner: Caller, team: Team) -> None:
        Team.objects.update(max_topics=1)
        new_topic(team, "one")
        assert_problem(owner.post("/api/topics", {"topic_name": "two"}), 403, "quota_exceeded")


class TestShow:
    def test_it_shows_a_topic(self, owner: Caller, topic: Topic, queue: Queue) -> None:
        topics.subscribe(topic, queue)
        shown = owner.get(f"/api/topics/{topic.public_id}/").json()
        assert shown.pop("created_at").endswith("Z")
        assert shown == {"topic_id": topic.public_id, "topic_name": "events", "subscription_count": 1}

    def test_it_counts_no_queue_that_is_deleted(self, owner: Caller, topic: Topic, queue: Queue) -> None:
        topics.subscribe(topic, queue)
        queues.delete(queue)
        assert owner.get(f"/api/topics/{topic.public_id}").json()["subscription_count"] == 0

    def test_it_lists_topics_as_it_shows_them(self, owner: Caller, topic: Topic, queue: Queue) -> None:
        topics.subscribe(topic, queue)
        [listed] = owner.get("/api/topics").json()["results"]
        assert listed == owner.get(f"/api/topics/{topic.public_id}").json()

    def test_it_lists_them_in_pages(self, owner: Caller, team: Team) -> None:
        for name in "abc":
            new_topic(team, name)
        first = owner.get("/api/topics", page_size=2).json()
        second = owner.get(first["next"]).json()
        assert [topic["topic_name"] for topic in first["results"] + second["results"]] == ["a", "b", "c"]
        assert (first["previous"], second["next"]) == (None, None)
        assert owner.get(second["previous"]).json()["results"] == first["results"]

    def test_it_hides_topics_outside_the_pattern_of_the_key(self, team: Team) -> None:
        for name in ("billing-a", "orders", "billing-b"):
            new_topic(team, name)
        assert names(Caller(team, "narrow", pattern="billing-*")) == ["billing-a", "billing-b"]

    def test_it_runs_as_many_statements_for_many_topics_as_for_one(self, owner: Caller, team: Team) -> None:
        new_topic(team)
        owner.get("/api/topics")  # the first call of a key also notes that it is in use
        with CaptureQueriesContext(connection) as one:
            owner.get("/api/topics")
        for number in range(10):
            topics.subscribe(new_topic(team, f"topic-{number}"), new_queue(team))
        with CaptureQueriesContext(connection) as many:
            owner.get("/api/topics")
        assert len(many) == len(one)

    def test_there_is_no_such_topic(self, owner: Caller) -> None:
        assert_problem(owner.get("/api/topics/t_0000000000000000000000"), 404, "topic_not_found")


class TestDelete:
    def test_it_deletes_a_topic(self, owner: Caller, topic: Topic) -> None:
        address = f"/api/topics/{topic.public_id}"
        assert owner.delete(address).json() == {"topic_id": topic.public_id, "deleted": True}
        for call in (owner.delete, owner.get):
            assert_problem(call(address), 404, "topic_not_found")
        assert names(owner) == []
