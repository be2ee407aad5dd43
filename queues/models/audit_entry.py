"""Who did what, when and why. Written in the transaction of the deed: see operations/audit.py"""

from django.conf import settings
from django.db import models

from queues.models.queue import Queue
from queues.models.team import Team


class Action(models.TextChoices):
    QUEUE_CREATED = "queue.created"
    QUEUE_CHANGED = "queue.changed"
    QUEUE_PAUSED = "queue.paused"
    QUEUE_RESUMED = "queue.resumed"
    QUEUE_PURGED = "queue.purged"
    QUEUE_DELETED = "queue.deleted"
    MESSAGE_SENT = "message.sent"
    MESSAGE_REQUEUED = "message.requeued"
    REQUEUE_UNDONE = "message.requeue_undone"
    MESSAGE_EDITED = "message.edited"
    MESSAGE_DISCARDED = "message.discarded"
    MESSAGE_RESTORED = "message.restored"
    MESSAGE_REVEALED = "message.revealed"
    MESSAGES_EXPORTED = "messages.exported"
    GROUP_NOTED = "group.noted"
    REDRIVE_STARTED = "redrive.started"
    REDRIVE_CANCELLED = "redrive.cancelled"
    REDRIVE_UNDONE = "redrive.undone"
    TOPIC_CREATED = "topic.created"
    TOPIC_DELETED = "topic.deleted"
    SUBSCRIPTION_CREATED = "subscription.created"
    SUBSCRIPTION_DELETED = "subscription.deleted"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    TEAM_CREATED = "team.created"
    TEAM_CHANGED = "team.changed"
    MEMBER_ADDED = "member.added"
    MEMBER_CHANGED = "member.changed"
    MEMBER_REMOVED = "member.removed"


class AuditEntry(models.Model):
    # Neither team nor queue has an index of its own: beside the two below, which also give the order, the
    # planner would now and then take it and sort every entry.
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="audit_entries", db_index=False)
    at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    actor = models.CharField(max_length=150)  # the name stays when the user goes
    action = models.CharField(max_length=32, choices=Action)
    queue = models.ForeignKey(
        Queue, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    queue_name = models.CharField(max_length=80, blank=True, default="")
    subject = models.CharField(max_length=200, blank=True, default="")  # a message, a key, a member …
    detail = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        db_table = "audit_entry"
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["team", "-id"], name="audit_entry_of_team"),
            models.Index(fields=["queue", "-id"], name="audit_entry_of_queue"),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.queue_name} {self.subject}".strip()
