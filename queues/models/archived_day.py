"""A day of the log that is in a lake: noted by the Spark job once it has read it back and compared."""

from django.db import models


class ArchivedDay(models.Model):
    pk = models.CompositePrimaryKey("lake", "day")
    lake = models.TextField()  # its address, as SIMPLEMQ_LAKE has it
    day = models.DateField()
    rows = models.BigIntegerField()
    checksum = models.TextField()  # as message_log_digest() makes it
    archived_at = models.DateTimeField()

    class Meta:
        db_table = "archived_day"

    def __str__(self) -> str:
        return f"{self.day} in {self.lake}"
