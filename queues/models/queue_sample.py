"""What a queue held at some instant, taken by maintenance: the charts of depth and age."""

from django.db import models

from queues.managers.queue_sample import QueueSampleManager


class QueueSample(models.Model):
    queue_id = models.BigIntegerField()
    at = models.DateTimeField()
    depth = models.BigIntegerField()
    in_flight = models.BigIntegerField()
    oldest_age_seconds = models.FloatField(null=True)

    objects = QueueSampleManager()

    class Meta:
        db_table = "queue_sample"
        indexes = [
            models.Index(fields=["queue_id", "at"], name="queue_sample_of_queue"),
            models.Index(fields=["at"], name="queue_sample_at"),
        ]

    def __str__(self) -> str:
        return f"{self.depth} in queue {self.queue_id} at {self.at}"
