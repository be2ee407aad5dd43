"""Who did what. Nobody can add, change or remove an entry."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from dlq_console.admin import shown
from dlq_console.admin.filters import QueueFilter, TeamFilter
from dlq_console.admin.window import WindowAdmin
from queues.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(WindowAdmin):
    list_display = ("at", "who", "action", "team", "queue_name", "subject_text", "reason_text")
    list_filter = (TeamFilter, QueueFilter, "action")
    list_select_related = ("team",)
    ordering = ("-id",)
    fields = (*list_display, "detail_text")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="who", ordering="actor")
    def who(self, entry: AuditEntry) -> str:
        return shown.cell(entry.actor)

    @admin.display(description="subject")
    def subject_text(self, entry: AuditEntry) -> str:
        return shown.cell(entry.subject)

    @admin.display(description="reason")
    def reason_text(self, entry: AuditEntry) -> str:
        return shown.cell(entry.reason)

    @admin.display(description="detail")
    def detail_text(self, entry: AuditEntry) -> str:
        return shown.json_block(entry.detail or None)
