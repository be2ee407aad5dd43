"""Dead letters of one queue that died of the same thing, counted without a hot row.

Every move in or out appends a delta in its own transaction; maintenance folds them. What is shown is the
folded count and the deltas that wait, so it is exact at any time.
"""

from django.db import models
from django.db.models.functions import Now

from queues.managers.error_group import ErrorGroupManager

IN, OUT = 1, -1  # how a move changes the count of its group


class ErrorGroup(models.Model):
    queue_id = models.BigIntegerField()
    fingerprint = models.CharField(max_length=64)
    title = models.CharField(max_length=300, default="")
    error_type = models.CharField(max_length=200, null=True)
    count = models.BigIntegerField(default=0)
    first_seen = models.DateTimeField(null=True)
    last_seen = models.DateTimeField(null=True)
    note = models.TextField(default="", blank=True)
    noted_by = models.CharField(max_length=150, default="", blank=True)
    noted_at = models.DateTimeField(null=True)

    objects = ErrorGroupManager()

    class Meta:
        db_table = "error_group"
        constraints = [models.UniqueConstraint(fields=["queue_id", "fingerprint"], name="error_group_once")]
        indexes = [models.Index(fields=["queue_id", "count"], name="error_group_largest")]

    def __str__(self) -> str:
        return self.title


class ErrorGroupDelta(models.Model):
    queue_id = models.BigIntegerField()
    fingerprint = models.CharField(max_length=64)
    count = models.IntegerField()
    arrived = models.IntegerField(db_default=0)  # of them, how many died: an undo brings back, nobody dies
    title = models.CharField(max_length=300, null=True)
    error_type = models.CharField(max_length=200, null=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "error_group_delta"
        indexes = [models.Index(fields=["queue_id", "fingerprint"], name="error_group_delta_of_queue")]

    def __str__(self) -> str:
        return f"{self.count:+d} in {self.fingerprint}"


class ErrorGroupHour(models.Model):
    """How many died of it in one hour: the sparkline."""

    queue_id = models.BigIntegerField()
    fingerprint = models.CharField(max_length=64)
    bucket = models.DateTimeField()
    arrived = models.IntegerField(default=0)

    class Meta:
        db_table = "error_group_hour"
        constraints = [
            models.UniqueConstraint(
                fields=["queue_id", "fingerprint", "bucket"], name="error_group_hour_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.arrived} at {self.bucket}"
