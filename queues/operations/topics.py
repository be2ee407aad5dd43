"""Topics and who is subscribed to them. Publishing is in publish.py."""

import json
from typing import Any

from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from queues import filter_policy, ids, limits
from queues.errors import Conflict, Invalid, QuotaExceeded, SubscriptionNotFound, TopicNotFound
from queues.models import Queue, Subscription, Team, Topic


def find(team: Team, public_id: str) -> Topic:
    """The team's topic of this id. Another team's topic does not exist."""
    uid = ids.decode("t", public_id)
    topic = Topic.objects.filter(team=team, uid=uid).first() if uid else None
    if topic is None:
        raise TopicNotFound()
    topic.team = team
    return topic


def counted(topics: QuerySet[Topic]) -> QuerySet[Topic]:
    """Each with its `subscription_count`, looked up row by row of a page: a join would count them all."""
    of_topic = Subscription.objects.filter(topic=OuterRef("pk")).order_by().values("topic")
    return topics.annotate(
        subscription_count=Coalesce(Subquery(of_topic.annotate(count=Count("pk")).values("count")), 0)
    )


@transaction.atomic
def create(team: Team, name: str) -> tuple[Topic, bool]:
    """A new topic, or the one of that name. Says whether it is new."""
    limits.verify_topic_name(name)
    # The team's row is held, or two requests could both take the last place of the quota, or the name.
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    existing = Topic.objects.filter(team=team, name=name).first()
    if existing is not None:
        return existing, False
    if Topic.objects.filter(team=team).count() >= team.max_topics:
        raise QuotaExceeded(f"The team has {team.max_topics} topics, as many as it may have.")
    return Topic.objects.create(team=team, name=name), True


@transaction.atomic
def delete(topic: Topic) -> None:
    """Delete a topic with its subscriptions; what was published stays in the queues."""
    _locked(topic).delete()


@transaction.atomic
def subscribe(topic: Topic, queue: Queue, filter: dict[str, Any] | None = None) -> tuple[Subscription, bool]:
    """Let a queue have what is published, or what of it passes the filter. Says whether that is new."""
    wanted = None if filter is None else filter_policy.verified(filter)
    topic = _locked(topic)
    # Held, so that a deletion either removes this subscription too or is seen here.
    if queue.team_id != topic.team_id or Queue.objects.hold(queue.pk) is None:
        raise Invalid("There is no such queue.", field="queue_id")
    existing = Subscription.objects.filter(topic=topic, queue=queue).first()
    if existing is None:
        return _save_new(Subscription(topic=topic, queue=queue, filter=wanted)), True
    if _text(existing.filter) != _text(wanted):
        raise Conflict("This queue is subscribed with another filter.", field="queue_id")
    return existing, False


def subscriptions_of(topic: Topic) -> QuerySet[Subscription]:
    """Its subscriptions with their queues, the oldest first."""
    rows = Subscription.objects.filter(topic=topic, queue__deleted_at=None)
    return rows.select_related("queue").order_by("id")


def find_subscription(topic: Topic, public_id: str) -> Subscription:
    uid = ids.decode("sub", public_id)
    subscription = subscriptions_of(topic).filter(uid=uid).first() if uid else None
    if subscription is None:
        raise SubscriptionNotFound()
    return subscription


def unsubscribe(subscription: Subscription) -> None:
    """End a subscription; what the queue has got stays there."""
    deleted, _ = Subscription.objects.filter(pk=subscription.pk).delete()
    if not deleted:
        raise SubscriptionNotFound()


def _locked(topic: Topic) -> Topic:
    """Held until the transaction ends: nobody else deletes it or subscribes to it meanwhile."""
    locked = Topic.objects.select_for_update().filter(pk=topic.pk).first()
    if locked is None:
        raise TopicNotFound()
    return locked


def _save_new(subscription: Subscription) -> Subscription:
    most = limits.SUBSCRIPTIONS_PER_TOPIC
    if Subscription.objects.filter(topic=subscription.topic).count() >= most:
        raise QuotaExceeded(f"The topic has {most} subscriptions, as many as it may have.")
    subscription.save()
    return subscription


def _text(policy: dict[str, Any] | None) -> str:
    """For comparing: to Python, true is 1."""
    return json.dumps(policy, sort_keys=True)
