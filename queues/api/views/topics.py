"""Topics: what is published to one is sent to every queue that is subscribed to it."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import answers, pages
from queues.api.calls import Call
from queues.api.pages import PageQuery
from queues.api.serializers.message import SendMessage
from queues.api.serializers.page import page_of
from queues.api.serializers.topic import (
    CreateSubscription,
    CreateTopic,
    DeletedSubscription,
    DeletedTopic,
    PublishedMessage,
    SubscriptionDetail,
    SubscriptionId,
    TopicDetail,
    TopicId,
)
from queues.api.trace_context import trace_id
from queues.api.views.door import Door
from queues.errors import (
    Conflict,
    Forbidden,
    MessageTooLarge,
    QuotaExceeded,
    SubscriptionNotFound,
    TopicNotFound,
)
from queues.models import Subscription, Topic
from queues.operations import keys, topics
from queues.operations.publish import publish
from queues.values import NewMessage


class TopicsView(Door):
    tag = "topics"
    calls = {
        "list_topics": Call(query=PageQuery(), answers={200: page_of(TopicDetail)}),
        "create_topic": Call(
            scope="manage",
            body=CreateTopic(),
            answers={200: TopicId(), 201: TopicId()},
            problems=(QuotaExceeded,),
        ),
        "get_topic": Call(answers={200: TopicDetail()}, problems=(TopicNotFound,)),
        "delete_topic": Call(scope="manage", answers={200: DeletedTopic()}, problems=(TopicNotFound,)),
    }

    def list_topics(self, request: Request) -> Response:
        """The team's topics, oldest first."""
        rows = topics.counted(self.within_pattern(Topic.objects.filter(team=self.team)))
        return Response(pages.answer(request, rows, self.query, _topics))

    def create_topic(self, request: Request) -> Response:
        """Create a topic.

        The same name again answers 200 and the topic there is.
        """
        name = self.body()["topic_name"]
        if not keys.allows(self.key, self.scope, name):
            raise Forbidden("This key may not use a topic of this name.", field="topic_name")
        topic, created = topics.create(self.team, name)
        return Response({"topic_id": topic.public_id}, 201 if created else 200)

    def get_topic(self, request: Request, topic_id: str) -> Response:
        """A topic and how many queues are subscribed to it."""
        topic = self.topic()
        topic.subscription_count = topics.subscriptions_of(topic).count()  # type: ignore[attr-defined]
        return Response(TopicDetail(topic).data)

    def delete_topic(self, request: Request, topic_id: str) -> Response:
        """Delete a topic and its subscriptions.

        What was published stays in the queues.
        """
        topics.delete(self.topic())
        return Response({"topic_id": topic_id, "deleted": True})


class SubscriptionsView(Door):
    tag = "topics"
    calls = {
        "list_subscriptions": Call(
            query=PageQuery(), answers={200: page_of(SubscriptionDetail)}, problems=(TopicNotFound,)
        ),
        "create_subscription": Call(
            scope="manage",
            body=CreateSubscription(),
            answers={200: SubscriptionId(), 201: SubscriptionId()},
            problems=(TopicNotFound, QuotaExceeded, Conflict),
        ),
        "get_subscription": Call(
            answers={200: SubscriptionDetail()}, problems=(TopicNotFound, SubscriptionNotFound)
        ),
        "delete_subscription": Call(
            scope="manage",
            answers={200: DeletedSubscription()},
            problems=(TopicNotFound, SubscriptionNotFound),
        ),
    }

    def list_subscriptions(self, request: Request, topic_id: str) -> Response:
        """The subscriptions to a topic, oldest first."""
        rows = topics.subscriptions_of(self.topic()).select_related("topic")
        rows = self.within_pattern(rows, "queue__name")
        return Response(pages.answer(request, rows, self.query, _subscriptions))

    def create_subscription(self, request: Request, topic_id: str) -> Response:
        """Subscribe a queue to a topic.

        From now on it gets a copy of every message that passes the filter. The same queue with the same
        filter answers 200 and the subscription there is; with another filter, 409.
        """
        topic, wanted = self.topic(), self.body()
        queue = self.named_queue("queue_id", wanted["queue_id"])
        subscription, created = topics.subscribe(topic, queue, wanted.get("filter"))
        return Response({"subscription_id": subscription.public_id}, 201 if created else 200)

    def get_subscription(self, request: Request, topic_id: str, subscription_id: str) -> Response:
        """A subscription: which queue, and which messages."""
        return Response(SubscriptionDetail(self._subscription()).data)

    def delete_subscription(self, request: Request, topic_id: str, subscription_id: str) -> Response:
        """End a subscription.

        What the queue has got stays there.
        """
        topics.unsubscribe(self._subscription())
        return Response({"subscription_id": subscription_id, "deleted": True})

    def _subscription(self) -> Subscription:
        subscription = topics.find_subscription(self.topic(), self.kwargs["subscription_id"])
        self.require_use_of(subscription.queue)
        return subscription


class PublishView(Door):
    tag = "topics"
    calls = {
        "publish_message": Call(
            scope="send",
            body=SendMessage(),
            answers={201: PublishedMessage()},
            problems=(TopicNotFound, MessageTooLarge),
        )
    }

    def publish_message(self, request: Request, topic_id: str) -> Response:
        """Publish a message: every subscribed queue whose filter lets it pass gets a copy.

        The copies are stored in one commit. Each queue has an answer of its own: one that is full, or does
        not take such a message, fails alone.
        """
        topic = self.topic()
        published = publish(topic, NewMessage(**self.body(), trace_id=trace_id(request)))
        return Response(
            {
                "topic_message_id": published.public_id,
                "deliveries": [answers.delivered(queue, result) for queue, result in published.deliveries],
            },
            201,
        )


def _topics(rows: list[Topic]) -> list[dict[str, Any]]:
    return TopicDetail(rows, many=True).data  # type: ignore[return-value]


def _subscriptions(rows: list[Subscription]) -> list[dict[str, Any]]:
    return SubscriptionDetail(rows, many=True).data  # type: ignore[return-value]
