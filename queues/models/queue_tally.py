"""What happens in each queue, added up: totals for queues too deep to count, activity for rates and charts.

Every process appends its sums about once a second; maintenance folds them. Nothing is ever updated by two.
"""

from django.db import models
from django.db.models.functions import Now

from queues.managers.queue_tally import QueueActivityManager, QueueTallyManager


class QueueTally(models.Model):
    queue_id = models.BigIntegerField(primary_key=True)
    live = models.BigIntegerField(default=0)

    objects = QueueTallyManager()

    class Meta:
        db_table = "queue_tally"

    def __str__(self) -> str:
        return f"about {self.live} in queue {self.queue_id}"


class Activity(models.Model):
    """How many messages were sent, received, given back as failed and ended in some stretch of time."""

    queue_id = models.BigIntegerField()
    sent = models.BigIntegerField(default=0)
    received = models.BigIntegerField(default=0)
    nacked = models.BigIntegerField(default=0, db_default=0)
    acked = models.BigIntegerField(default=0)
    dead_lettered = models.BigIntegerField(default=0)
    expired = models.BigIntegerField(default=0)

    class Meta:
        abstract = True


class QueueTallyDelta(Activity):
    at = models.DateTimeField(db_default=Now())
    live = models.BigIntegerField(default=0)

    class Meta:
        db_table = "queue_tally_delta"
        indexes = [models.Index(fields=["queue_id"], name="queue_tally_delta_of_queue")]

    def __str__(self) -> str:
        return f"{self.live:+d} in queue {self.queue_id}"


class QueueActivity(Activity):
    """Ten seconds of a queue."""

    bucket = models.DateTimeField()

    objects = QueueActivityManager()

    class Meta:
        db_table = "queue_activity"
        constraints = [models.UniqueConstraint(fields=["queue_id", "bucket"], name="queue_activity_once")]
        indexes = [models.Index(fields=["bucket"], name="queue_activity_bucket")]

    def __str__(self) -> str:
        return f"queue {self.queue_id} from {self.bucket}"
