"""A key with a pattern reaches no queue outside it by way of one inside: neither a DLQ nor its sources.

A topic is another matter: whoever may use both has subscribed the queue, and publishers need not know of it.
"""

from typing import Any

import pytest
from django.http import HttpResponse

from queues.models import Message, Queue, RedriveTask, Subscription, Team, Topic
from queues.operations import queues, topics
from tests.factories import dead_letter, new_queue, new_topic, ready_message, reloaded
from tests.queues.api.caller import Caller, assert_problem


@pytest.fixture
def queue(team: Team) -> Queue:
    return new_queue(team, name="payments", max_deliveries=1)


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    """Lazily made, with one dead letter."""
    return dead_letter(queue)


def caller(team: Team, pattern: str) -> Caller:
    return Caller(team, "narrow", pattern=pattern)


def held(queue: Queue) -> int:
    return Message.objects.filter(queue_id=queue.pk).count()


class TestDeleteQueue:
    def test_it_leaves_a_dlq_outside_the_pattern(self, team: Team, queue: Queue, dlq: Queue) -> None:
        response = caller(team, "payments").delete(f"/api/queues/{queue.public_id}", with_dlq="true")
        assert_problem(response, 403, "forbidden", "with_dlq")
        assert reloaded(queue).dlq == reloaded(dlq)

    def test_it_deletes_the_queue_alone(self, team: Team, queue: Queue, dlq: Queue) -> None:
        response = caller(team, "payments").delete(f"/api/queues/{queue.public_id}")
        assert response.json()["kept_dlq_id"] == dlq.public_id

    def test_it_deletes_a_dlq_inside_the_pattern(self, team: Team, queue: Queue, dlq: Queue) -> None:
        response = caller(team, "payments*").delete(f"/api/queues/{queue.public_id}", with_dlq="true")
        assert (response.status_code, response.json()["kept_dlq_id"]) == (200, None)

    def test_it_asks_for_nothing_when_there_is_no_dlq(self, team: Team, queue: Queue) -> None:
        response = caller(team, "payments").delete(f"/api/queues/{queue.public_id}", with_dlq="true")
        assert response.status_code == 200


class TestRequeue:
    def requeued(self, team: Team, dlq: Queue, pattern: str) -> HttpResponse:
        [message] = Message.objects.filter(queue_id=dlq.pk)
        path = f"/api/queues/{dlq.public_id}/messages/{message.public_id}/requeue"
        return caller(team, pattern).post(path)

    def test_it_is_forbidden_when_the_source_is_outside_the_pattern(
        self, team: Team, queue: Queue, dlq: Queue
    ) -> None:
        assert_problem(self.requeued(team, dlq, "payments-dlq"), 403, "forbidden")
        assert (held(queue), held(dlq)) == (0, 1)

    def test_it_goes_back_when_the_source_is_inside_the_pattern(
        self, team: Team, queue: Queue, dlq: Queue
    ) -> None:
        assert self.requeued(team, dlq, "payments*").json()["requeued_to"] == queue.public_id

    def test_it_says_when_the_source_is_deleted(self, team: Team, queue: Queue, dlq: Queue) -> None:
        queues.delete(queue)
        assert_problem(self.requeued(team, dlq, "payments-dlq"), 409, "source_deleted")

    def test_it_says_when_the_message_never_died(self, team: Team, queue: Queue) -> None:
        ready_message(queue)
        assert_problem(self.requeued(team, queue, "payments"), 409, "not_a_dead_letter")

    def test_it_says_when_there_is_no_such_message(self, team: Team, dlq: Queue) -> None:
        path = f"/api/queues/{dlq.public_id}/messages/msg_0000000000000000000000/requeue"
        assert_problem(caller(team, "payments-dlq").post(path), 404, "message_not_found")


class TestRedrive:
    def started(self, team: Team, dlq: Queue, pattern: str, **body: Any) -> HttpResponse:
        return caller(team, pattern).post(f"/api/queues/{dlq.public_id}/redrive", body)

    @pytest.mark.parametrize("dry_run", [True, False])
    @pytest.mark.parametrize("pattern", ["payments-dlq", "payments*"])
    def test_it_must_name_its_target(self, team: Team, dlq: Queue, pattern: str, dry_run: bool) -> None:
        """Also where all sources of today are inside the pattern: its letters may be from others."""
        response = self.started(team, dlq, pattern, dry_run=dry_run)
        problem = assert_problem(response, 403, "forbidden", "target_queue_id")
        assert "must name the target queue" in problem["errors"][0]["message"]
        assert not RedriveTask.objects.exists()

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_it_is_forbidden_to_a_target_outside_the_pattern(
        self, team: Team, queue: Queue, dlq: Queue, dry_run: bool
    ) -> None:
        response = self.started(team, dlq, "payments-dlq", target_queue_id=queue.public_id, dry_run=dry_run)
        assert_problem(response, 403, "forbidden", "target_queue_id")

    def test_it_starts_to_a_target_inside_the_pattern(self, team: Team, queue: Queue, dlq: Queue) -> None:
        response = self.started(team, dlq, "payments*", target_queue_id=queue.public_id)
        assert (response.status_code, response.json()["matched"]) == (202, 1)


class TestTopics:
    @pytest.fixture
    def topic(self, team: Team, queue: Queue) -> Topic:
        """One that a key for `news*` may use, with a subscription of a queue that it may not."""
        topic = new_topic(team, "news")
        for subscribed in (queue, new_queue(team, name="newsletter")):
            topics.subscribe(topic, subscribed)
        return topic

    def test_what_is_published_reaches_whoever_is_subscribed(
        self, team: Team, topic: Topic, queue: Queue
    ) -> None:
        response = caller(team, "news").post(f"/api/topics/{topic.public_id}/messages", {"data": "x"})
        assert len(response.json()["deliveries"]) == 2
        assert held(queue) == 1

    def test_no_queue_outside_the_pattern_is_subscribed(self, team: Team, queue: Queue) -> None:
        topic = new_topic(team, "news-of-today")
        address = f"/api/topics/{topic.public_id}/subscriptions"
        response = caller(team, "news*").post(address, {"queue_id": queue.public_id})
        assert_problem(response, 403, "forbidden", "queue_id")
        assert not Subscription.objects.exists()

    def test_no_subscription_of_such_a_queue_is_shown_or_ended(
        self, team: Team, topic: Topic, queue: Queue
    ) -> None:
        address = f"/api/topics/{topic.public_id}/subscriptions"
        narrow, other = caller(team, "news*"), Subscription.objects.get(queue=queue)
        [shown] = narrow.get(address).json()["results"]
        assert shown["subscription_id"] != other.public_id
        for call in (narrow.get, narrow.delete):
            assert_problem(call(f"{address}/{other.public_id}"), 403, "forbidden")
            assert call(f"{address}/{shown['subscription_id']}").status_code == 200
        assert Subscription.objects.get() == other
