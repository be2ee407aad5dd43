"""The trash of every queue."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from dlq_console.admin import shown
from dlq_console.admin.confirmed import confirmed
from dlq_console.admin.filters import QueueFilter
from dlq_console.admin.window import WindowAdmin, queue_of, with_queue_name
from dlq_console.templatetags.console_text import size
from queues import ids
from queues.errors import MessageNotFound
from queues.models import Action, DiscardedMessage
from queues.operations import audit, trash


@confirmed("Restore", "These messages go back to the queues they were in, ready to be delivered at once.")
def restore(by: User, row: DiscardedMessage, reason: str) -> None:
    queue = queue_of(row)
    with audit.audited(by, Action.MESSAGE_RESTORED, queue=queue, subject=row.public_id, reason=reason):
        if not trash.restore(queue, [row.public_id], by=by.get_username()):
            raise MessageNotFound()


@admin.register(DiscardedMessage)
class DiscardedMessageAdmin(WindowAdmin):
    large = ("row",)
    list_display = (
        "public_id",
        "queue_name",
        "discarded_at",
        "by",
        "reason_text",
        "error",
        "size",
        "expires_at",
    )
    list_filter = (QueueFilter,)
    search_fields = ("message_id",)
    search_help_text = "A message id (msg_…) of the chosen queue."
    ordering = ("-id",)
    actions = (restore,)
    fields = (*list_display, "replacement", "body", "rest")

    def get_queryset(self, request: HttpRequest) -> QuerySet[DiscardedMessage]:
        return with_queue_name(super().get_queryset(request))

    def search_scope(self, text: str) -> dict[str, Any]:
        text = text.strip()
        return {"message_id": ids.decode("msg", text)} if text else {}

    @admin.display(description="message")
    def public_id(self, row: DiscardedMessage) -> str:
        return row.public_id

    @admin.display(description="queue")
    def queue_name(self, row: Any) -> str:
        return row.queue_name or "deleted"

    @admin.display(description="discarded by")
    def by(self, row: DiscardedMessage) -> str:
        return shown.cell(row.discarded_by)

    @admin.display(description="reason")
    def reason_text(self, row: DiscardedMessage) -> str:
        return shown.cell(row.reason)

    @admin.display(description="error")
    def error(self, row: DiscardedMessage) -> str:
        return shown.cell(row.error_type)

    @admin.display(description="size", ordering="size_bytes")
    def size(self, row: DiscardedMessage) -> str:
        return size(row.size_bytes)

    @admin.display(description="replaced by")
    def replacement(self, row: DiscardedMessage) -> str:
        return shown.cell(row.replaced_by and ids.message_id(row.replaced_by))

    @admin.display(description="data")
    def body(self, row: DiscardedMessage) -> str:
        return shown.body(row.row.get("data"))

    @admin.display(description="the message as it was")
    def rest(self, row: DiscardedMessage) -> str:
        return shown.json_block({name: value for name, value in row.row.items() if name != "data"})
