"""Messages of one queue, to look at. Looking counts no delivery, and nothing can be edited."""

import uuid
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from dlq_console.admin import shown
from dlq_console.admin.bounded import WindowChangeList
from dlq_console.admin.confirmed import confirmed
from dlq_console.admin.filters import QueueFilter
from dlq_console.admin.window import WindowAdmin, queue_of, with_queue_name
from dlq_console.templatetags.console_text import size
from queues import ids
from queues.errors import Invalid
from queues.models import Action, Message
from queues.operations import audit, dead_letters, look, trash


@confirmed("Requeue", "These dead letters go back to the queues they died in, to be delivered at once.")
def requeue(by: User, message: Message, reason: str) -> None:
    dlq = queue_of(message)
    with audit.audited(
        by, Action.MESSAGE_REQUEUED, queue=dlq, subject=message.public_id, reason=reason
    ) as detail:
        detail["to"] = dead_letters.requeue(dlq, message.public_id, requested_by=by.get_username()).name


@confirmed("Discard", "These messages go to the trash, from where they can be restored until they expire.")
def discard(by: User, message: Message, reason: str) -> None:
    queue = queue_of(message)
    with audit.audited(by, Action.MESSAGE_DISCARDED, queue=queue, subject=message.public_id, reason=reason):
        if not trash.discard(queue, [message.public_id], by=by.get_username(), reason=reason):
            raise Invalid("A consumer holds it, or it is gone.")


class MessageChangeList(WindowChangeList):
    def url_for_result(self, result: Any) -> str:
        """The address names the queue, because the table's key begins with it."""
        return reverse("admin:queues_message_change", args=(f"{result.queue_id}-{result.id}",))


@admin.register(Message)
class MessageAdmin(WindowAdmin):
    window_by = "id"
    queue_is_needed = True
    large = ("data", "attributes", "history", "last_error")
    list_display = (
        "public_id",
        "state_now",
        "enqueued_at",
        "delivery_count",
        "size",
        "error",
        "dead_lettered_at",
        "redrive_count",
    )
    list_filter = (QueueFilter, "state")
    search_fields = ("id",)
    search_help_text = "Within the queue: a message id (msg_…), or the fingerprint of an error group."
    ordering = ("id",)
    actions = (requeue, discard)
    fieldsets = (
        (None, {"fields": ("public_id", "queue_name", "state_now", "priority", "group", "size")}),
        ("Body", {"fields": ("body", "attribute_text")}),
        (
            "Delivery",
            {
                "fields": (
                    "enqueued_at",
                    "entered_at",
                    "visible_at",
                    "expires_at",
                    "delivery_count",
                    "nack_count",
                    "lease_expiry_count",
                    "first_delivered_at",
                    "last_delivered_at",
                )
            },
        ),
        (
            "What went wrong",
            {
                "fields": (
                    "error",
                    "fingerprint_text",
                    "error_text",
                    "dead_lettered_at",
                    "dead_letter_reason",
                    "redrive_count",
                    "history_text",
                )
            },
        ),
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return MessageChangeList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        return with_queue_name(super().get_queryset(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Message | None:
        queue_id, _, uid = object_id.partition("-")
        try:
            key = {"queue_id": int(queue_id), "id": uuid.UUID(uid)}
        except ValueError:
            return None
        return self.get_queryset(request).filter(**key).first()

    def search_scope(self, text: str) -> dict[str, Any]:
        text = text.strip()
        if not text:
            return {}
        if uid := ids.decode("msg", text):
            return {"id": uid}
        return {"fingerprint": text, "dead_lettered_at__isnull": False}

    @admin.display(description="queue")
    def queue_name(self, message: Any) -> str:
        return message.queue_name or "deleted"

    @admin.display(description="id")
    def public_id(self, message: Message) -> str:
        return message.public_id

    @admin.display(description="state")
    def state_now(self, message: Message) -> str:
        return look.state_of(message)

    @admin.display(description="size", ordering="size_bytes")
    def size(self, message: Message) -> str:
        return size(message.size_bytes)

    @admin.display(description="error")
    def error(self, message: Message) -> str:
        return shown.cell(message.error_type)

    @admin.display(description="group")
    def group(self, message: Message) -> str:
        return shown.cell(message.group_id)

    @admin.display(description="fingerprint")
    def fingerprint_text(self, message: Message) -> str:
        return shown.cell(message.fingerprint)

    @admin.display(description="data")
    def body(self, message: Message) -> str:
        return shown.body(message.data)

    @admin.display(description="attributes")
    def attribute_text(self, message: Message) -> str:
        return shown.json_block(message.attributes)

    @admin.display(description="last error")
    def error_text(self, message: Message) -> str:
        return shown.json_block(message.last_error)

    @admin.display(description="history")
    def history_text(self, message: Message) -> str:
        return shown.json_block(message.history)
