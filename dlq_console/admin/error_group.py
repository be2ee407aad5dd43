"""Error groups of one dead-letter queue, as folded so far. The console adds what waits to be folded."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from dlq_console.admin import shown
from dlq_console.admin.filters import QueueFilter
from dlq_console.admin.window import WindowAdmin, with_queue_name
from queues.models import ErrorGroup


@admin.register(ErrorGroup)
class ErrorGroupAdmin(WindowAdmin):
    window_by = "fingerprint"
    queue_is_needed = True
    list_display = ("title_text", "error", "count", "first_seen", "last_seen", "note_text")
    list_filter = (QueueFilter,)
    search_fields = ("fingerprint",)
    search_help_text = "A fingerprint."
    ordering = ("-count", "fingerprint")
    fields = ("title_text", "queue_name", "fingerprint_text", *list_display[1:], "noter", "noted_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ErrorGroup]:
        return with_queue_name(super().get_queryset(request))

    def search_scope(self, text: str) -> dict[str, Any]:
        return {"fingerprint": text.strip()} if text.strip() else {}

    @admin.display(description="queue")
    def queue_name(self, group: Any) -> str:
        return group.queue_name or "deleted"

    @admin.display(description="title")
    def title_text(self, group: ErrorGroup) -> str:
        return shown.cell(group.title)

    @admin.display(description="error")
    def error(self, group: ErrorGroup) -> str:
        return shown.cell(group.error_type)

    @admin.display(description="fingerprint")
    def fingerprint_text(self, group: ErrorGroup) -> str:
        return shown.cell(group.fingerprint)

    @admin.display(description="note")
    def note_text(self, group: ErrorGroup) -> str:
        return shown.cell(group.note)

    @admin.display(description="noted by")
    def noter(self, group: ErrorGroup) -> str:
        return shown.cell(group.noted_by)
