"""The trash: messages taken out of a queue by a person, restorable until their retention is over."""

from django.db import models

from queues import ids
from queues.managers.discarded_message import DiscardedMessageManager


class DiscardedMessage(models.Model):
    message_id = models.UUIDField()
    team_id = models.BigIntegerField()
    queue_id = models.BigIntegerField()
    discarded_at = models.DateTimeField()
    discarded_by = models.CharField(max_length=150)
    reason = models.CharField(max_length=500, blank=True, default="")
    replaced_by = models.UUIDField(null=True)  # the message an edit made of it
    expires_at = models.DateTimeField()
    size_bytes = models.IntegerField()
    error_type = models.CharField(max_length=200, null=True)
    fingerprint = models.CharField(max_length=64, null=True)
    row = models.JSONField()  # the message as it was, column by column

    objects = DiscardedMessageManager()

    class Meta:
        db_table = "discarded_message"
        indexes = [
            models.Index(fields=["queue_id", "id"], name="discarded_message_of_queue"),
            models.Index(fields=["expires_at"], name="discarded_message_expiry"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["queue_id", "message_id"], name="discarded_message_once")
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        return ids.message_id(self.message_id)
