"""Redrives: those that run, which can be cancelled, and those that ran."""

from django.contrib import admin
from django.contrib.auth.models import User

from dlq_console.admin import shown
from dlq_console.admin.base import ReadOnlyAdmin
from dlq_console.admin.confirmed import confirmed
from dlq_console.admin.filters import TeamFilter
from queues.errors import Invalid
from queues.models import Action, RedriveStatus, RedriveTask
from queues.operations import audit, redrive


@confirmed("Cancel", "What has moved stays moved; the rest stays in the dead-letter queue.")
def cancel(by: User, task: RedriveTask, reason: str) -> None:
    with audit.audited(
        by, Action.REDRIVE_CANCELLED, queue=task.dlq, subject=task.public_id, reason=reason
    ) as detail:
        if task.status != RedriveStatus.RUNNING:
            raise Invalid("It is over already.")
        detail["moved"] = redrive.cancel(task).moved


@admin.register(RedriveTask)
class RedriveTaskAdmin(ReadOnlyAdmin):
    list_display = (
        "public_id",
        "dlq",
        "target",
        "status",
        "matched",
        "moved",
        "by",
        "started_at",
        "finished_at",
    )
    list_filter = (TeamFilter, "status")
    list_select_related = ("dlq__team", "target")
    search_fields = ("dlq__name",)
    search_help_text = "Part of the name of a dead-letter queue, or the id of a redrive (rd_…)."
    id_prefix = "rd"
    ordering = ("-id",)
    actions = (cancel,)
    fields = (
        *list_display[:4],
        "why",
        *list_display[4:],
        "undone",
        "skipped",
        "limit",
        "max_messages_per_second",
        "cut_off",
        "filter_text",
        "canary_text",
        "step",
        "watch_until",
    )

    @admin.display(description="redrive")
    def public_id(self, task: RedriveTask) -> str:
        return task.public_id

    @admin.display(description="requested by")
    def by(self, task: RedriveTask) -> str:
        return shown.cell(task.requested_by)

    @admin.display(description="why")
    def why(self, task: RedriveTask) -> str:
        return shown.cell(task.reason)

    @admin.display(description="filter")
    def filter_text(self, task: RedriveTask) -> str:
        return shown.json_block(task.filter or None)

    @admin.display(description="canary")
    def canary_text(self, task: RedriveTask) -> str:
        return shown.json_block(task.canary)
