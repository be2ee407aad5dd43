"""One row for every stay of a message in a queue that has ended. Append-only, partitioned by day."""

from django.db import models

from queues.managers.message_log import MessageLogManager


class Outcome(models.TextChoices):
    ACKED = "acked"
    EXPIRED = "expired"
    DISCARDED = "discarded"
    DEAD_LETTERED = "dead_lettered"
    REQUEUED = "requeued"
    REDRIVEN = "redriven"
    PURGED = "purged"
    QUEUE_DELETED = "queue_deleted"


class MessageLog(models.Model):
    # The table has no primary key: a message may stay, and end, several times. Django wants one named.
    message_id = models.UUIDField(primary_key=True)
    team_id = models.BigIntegerField()
    queue_id = models.BigIntegerField()
    enqueued_at = models.DateTimeField()  # when it entered this queue
    first_delivered_at = models.DateTimeField(null=True)
    last_delivered_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)  # when it left the queue, if before: it lay in the trash since
    delivery_count = models.IntegerField()
    nack_count = models.IntegerField()
    lease_expiry_count = models.IntegerField()
    size_bytes = models.IntegerField()
    priority = models.SmallIntegerField()
    outcome = models.CharField(max_length=16, choices=Outcome)
    group_id = models.CharField(max_length=128, null=True)
    error_type = models.CharField(max_length=200, null=True)
    fingerprint = models.CharField(max_length=64, null=True)
    redrive_id = models.BigIntegerField(null=True)

    objects = MessageLogManager()

    class Meta:
        managed = False
        db_table = "message_log"

    def __str__(self) -> str:
        return f"{self.message_id} {self.outcome}"
