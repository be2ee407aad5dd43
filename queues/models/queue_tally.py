"""Running totals per queue: estimates for queues too deep to count. Deltas are appended, then folded."""

from django.db import models

from queues.managers.queue_tally import QueueTallyManager


class QueueTally(models.Model):
    queue_id = models.BigIntegerField(primary_key=True)
    live = models.BigIntegerField(default=0)

    objects = QueueTallyManager()

    class Meta:
        db_table = "queue_tally"

    def __str__(self) -> str:
        return f"about {self.live} in queue {self.queue_id}"


class QueueTallyDelta(models.Model):
    """Appended by every process about once a second; never updated, so no row is ever fought over."""

    queue_id = models.BigIntegerField()
    live = models.BigIntegerField()

    class Meta:
        db_table = "queue_tally_delta"

    def __str__(self) -> str:
        return f"{self.live:+d} in queue {self.queue_id}"
