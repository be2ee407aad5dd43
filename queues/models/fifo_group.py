"""The groups of FIFO queues: one consumer at a time, each in its turn.

A row says from when on it is worth looking at a group: at once, or when a lease or a delay ends. What may be
delivered is then read from the messages themselves, under the row's lock. Nobody who holds that lock waits
for a message, and nobody waits for it who holds what its holder may want.

Whoever changes a group from aside (a dead letter comes, somebody discards what the others wait for) leaves
a nudge in his own transaction: it is only ever added, so he waits for nobody. Receives take the nudges in.
"""

from django.db import models

from queues.limits import GROUP_ID_LENGTH
from queues.managers.fifo_group import FifoGroupManager


class FifoGroup(models.Model):
    pk = models.CompositePrimaryKey("queue_id", "group_id")
    queue_id = models.BigIntegerField()
    group_id = models.CharField(max_length=GROUP_ID_LENGTH)
    look_at = models.DateTimeField()

    objects = FifoGroupManager()

    class Meta:
        db_table = "fifo_group"
        indexes = [models.Index(fields=["queue_id", "look_at"], name="fifo_group_due")]

    def __str__(self) -> str:
        return f"{self.group_id} in queue {self.queue_id}"


class FifoNudge(models.Model):
    queue_id = models.BigIntegerField()
    group_id = models.CharField(max_length=GROUP_ID_LENGTH)

    class Meta:
        db_table = "fifo_nudge"
        indexes = [models.Index(fields=["queue_id", "id"], name="fifo_nudge_of_queue")]

    def __str__(self) -> str:
        return f"{self.group_id} in queue {self.queue_id}"
