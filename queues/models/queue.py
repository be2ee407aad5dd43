"""A queue and its settings. A dead-letter queue is an ordinary queue that another one points to."""

import uuid

from django.db import models

from queues import ids, limits
from queues.managers.queue import QueueManager
from queues.models.team import Team


class Mode(models.TextChoices):
    STANDARD = "standard"
    FIFO = "fifo"


class Queue(models.Model):
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="queues")
    name = models.CharField(max_length=limits.QUEUE_NAME_LENGTH)
    mode = models.CharField(max_length=8, choices=Mode, default=Mode.STANDARD)

    queue_size = models.PositiveIntegerField(null=True, blank=True)
    visibility_timeout = models.PositiveIntegerField(default=limits.DEFAULT_VISIBILITY_TIMEOUT)
    max_deliveries = models.PositiveIntegerField(null=True, blank=True, default=limits.DEFAULT_MAX_DELIVERIES)
    delay_seconds = models.PositiveIntegerField(default=0)
    retention_seconds = models.PositiveIntegerField(default=limits.DEFAULT_RETENTION_SECONDS)
    max_message_bytes = models.PositiveIntegerField(default=limits.DEFAULT_MESSAGE_BYTES)
    receive_wait_seconds = models.PositiveIntegerField(default=0)
    backoff = models.JSONField(null=True, blank=True)
    priority_aging_seconds = models.PositiveIntegerField(null=True, blank=True)
    # Once a queue has aged its messages, ranks carry the time for good: see ranking.py
    ranks_by_time = models.BooleanField(default=False)
    target_age_seconds = models.PositiveIntegerField(null=True, blank=True)
    allow_edit = models.BooleanField(default=False)  # whether its dead letters may be edited and sent again
    tags = models.JSONField(default=dict, blank=True)
    description = models.TextField(default="", blank=True)

    dlq = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="source_queues"
    )
    dlq_is_lazy = models.BooleanField(default=False)  # made for this queue, so deleted with it
    is_dlq = models.BooleanField(default=False)
    paused = models.BooleanField(default=False)

    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    # A deleted queue is gone for every reader at once; maintenance removes its messages, then the row.
    deleted_at = models.DateTimeField(null=True, blank=True)
    # Set when queue_size changed: sends that began before may hold no place. See maintenance/slots.py
    slots_unsettled_at = models.DateTimeField(null=True, blank=True)

    objects = QueueManager()

    class Meta:
        db_table = "queue"
        constraints = [
            models.UniqueConstraint(
                fields=["team", "name"], condition=models.Q(deleted_at=None), name="queue_name_once_per_team"
            )
        ]
        indexes = [
            models.Index("deleted_at", name="queue_deleted", condition=models.Q(deleted_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def public_id(self) -> str:
        return ids.queue_id(self.uid)

    @property
    def is_fifo(self) -> bool:
        return self.mode == Mode.FIFO

    @property
    def effective_max_deliveries(self) -> int | None:
        """A dead-letter queue never has one of its own, so its messages are never used up."""
        return None if self.is_dlq else self.max_deliveries
