"""A topic: what is published to it is sent to every subscribed queue whose filter lets it pass."""

import uuid

from django.db import models

from queues import ids, limits
from queues.models.queue import Queue
from queues.models.team import Team


class Topic(models.Model):
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    # No index of its own: the one of the constraint begins with it.
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="topics", db_index=False)
    name = models.CharField(max_length=limits.TOPIC_NAME_LENGTH)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "topic"
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="topic_name_once_per_team")]

    def __str__(self) -> str:
        return self.name

    @property
    def public_id(self) -> str:
        return ids.topic_id(self.uid)


class Subscription(models.Model):
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="subscriptions", db_index=False)
    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="subscriptions")
    filter = models.JSONField(null=True, blank=True)  # see filter_policy.py; None: every message
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "subscription"
        constraints = [models.UniqueConstraint(fields=["topic", "queue"], name="subscription_once_per_queue")]

    def __str__(self) -> str:
        return f"{self.queue} to {self.topic}"

    @property
    def public_id(self) -> str:
        return ids.subscription_id(self.uid)
