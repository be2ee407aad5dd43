"""A redrive: dead letters on their way back, in batches. Its counters move with the messages."""

import uuid

from django.db import models

from queues import ids
from queues.managers.redrive_task import RedriveTaskManager
from queues.models.queue import Queue
from queues.models.team import Team


class RedriveStatus(models.TextChoices):
    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"  # by itself: too many redriven messages came back dead
    FAILED = "failed"


class RedriveTask(models.Model):
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="redrive_tasks")
    dlq = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="redrive_tasks")
    # None: each message goes back to the queue it died in.
    target = models.ForeignKey(Queue, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    filter = models.JSONField(default=dict, blank=True)
    limit = models.PositiveIntegerField(null=True, blank=True)
    max_messages_per_second = models.PositiveIntegerField(null=True, blank=True)
    canary = models.JSONField(null=True, blank=True)

    status = models.CharField(max_length=10, choices=RedriveStatus, default=RedriveStatus.RUNNING)
    reason = models.CharField(max_length=200, blank=True, default="")  # why it stopped, failed or waits
    matched = models.BigIntegerField(default=0)
    moved = models.BigIntegerField(default=0)
    undone = models.BigIntegerField(default=0)
    skipped = models.JSONField(default=dict, blank=True)  # counts by reason
    # What has been dealt with: messages up to here in id order, of those dead by the cut-off.
    cut_off = models.DateTimeField()
    cursor = models.UUIDField(null=True, blank=True)
    step = models.PositiveSmallIntegerField(default=0)  # of the canary ladder
    watch_until = models.DateTimeField(null=True, blank=True)
    paced_at = models.DateTimeField(null=True, blank=True)  # when its rate allows the next message

    requested_by = models.CharField(max_length=200, blank=True, default="")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RedriveTaskManager()

    class Meta:
        db_table = "redrive_task"
        constraints = [
            models.UniqueConstraint(
                fields=["dlq"],
                condition=models.Q(status=RedriveStatus.RUNNING),
                name="redrive_task_one_running_per_dlq",
            )
        ]
        indexes = [models.Index(fields=["dlq", "-id"], name="redrive_task_of_dlq")]

    def __str__(self) -> str:
        return f"{self.public_id} {self.status}"

    @property
    def public_id(self) -> str:
        return ids.redrive_id(self.uid)
