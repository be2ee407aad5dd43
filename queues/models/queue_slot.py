"""Free places of a bounded queue, spread over several rows so that senders do not wait for each other."""

from django.db import models

from queues.managers.queue_slot import QueueSlotManager


class QueueSlot(models.Model):
    queue_id = models.BigIntegerField()
    free = models.IntegerField()

    objects = QueueSlotManager()

    class Meta:
        db_table = "queue_slot"
        indexes = [models.Index(fields=["queue_id", "id"], name="queue_slot_of_queue")]

    def __str__(self) -> str:
        return f"{self.free} free in queue {self.queue_id}"
