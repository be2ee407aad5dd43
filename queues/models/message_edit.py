"""An edit made of one message another: which, by whom, and what was changed."""

from django.db import models


class MessageEdit(models.Model):
    team_id = models.BigIntegerField()
    queue_id = models.BigIntegerField()  # where the original lay
    original_id = models.UUIDField(db_index=True)
    new_id = models.UUIDField(db_index=True)
    edited_at = models.DateTimeField(auto_now_add=True)
    edited_by = models.CharField(max_length=150)
    reason = models.CharField(max_length=500, blank=True, default="")
    diff = models.TextField()

    class Meta:
        db_table = "message_edit"

    def __str__(self) -> str:
        return f"{self.original_id} became {self.new_id}"
