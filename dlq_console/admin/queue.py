"""Queues: made, changed, paused, purged and deleted as everywhere else, by the operations."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from dlq_console.access import person
from dlq_console.admin.base import ConsoleAdmin
from dlq_console.admin.confirmed import confirmed
from dlq_console.admin.filters import TeamFilter
from queues.errors import Conflict, Invalid
from queues.models import Action, Queue
from queues.operations import audit, queues, redrive

DELIVERY = ("visibility_timeout", "max_deliveries", "delay_seconds", "receive_wait_seconds", "backoff", "dlq")
BOUNDS = ("queue_size", "max_message_bytes", "retention_seconds", "target_age_seconds")
REST = ("priority_aging_seconds", "allow_edit", "tags", "description")
SETTINGS = (*DELIVERY, *BOUNDS, *REST)
KNOWN_LATER = ("public_id", "paused", "is_dlq", "dlq_is_lazy", "created_at", "updated_at")


@confirmed("Pause deliveries", "Consumers receive nothing from these queues until they go on. Sends go on.")
def pause(by: User, queue: Queue, reason: str) -> None:
    with audit.audited(by, Action.QUEUE_PAUSED, queue=queue, reason=reason):
        queues.pause(queue)


@confirmed("Resume deliveries", "Consumers receive from these queues again.")
def resume(by: User, queue: Queue, reason: str) -> None:
    with audit.audited(by, Action.QUEUE_RESUMED, queue=queue, reason=reason):
        queues.resume(queue)


@confirmed("Requeue all dead letters", "Every message goes back to the queue it died in, as a redrive.")
def requeue(by: User, queue: Queue, reason: str) -> None:
    if not queue.is_dlq:
        raise Invalid("This is no dead-letter queue.")
    with audit.audited(by, Action.REDRIVE_STARTED, queue=queue, reason=reason) as detail:
        task = redrive.start(queue, requested_by=by.get_username())
        detail |= {"redrive_id": task.public_id, "matched": task.matched}


@confirmed("Purge", "Every message in these queues is removed for good, those in flight too.")
def purge(by: User, queue: Queue, reason: str) -> None:
    with audit.audited(by, Action.QUEUE_PURGED, queue=queue, reason=reason) as detail:
        detail["purged"] = queues.purge(queue)


@confirmed(
    "Delete", "These queues and their messages are gone for good. Dead-letter queues with letters stay."
)
def delete(by: User, queue: Queue, reason: str) -> None:
    with audit.audited(by, Action.QUEUE_DELETED, queue=queue, reason=reason):
        queues.delete(queue)


@admin.register(Queue)
class QueueAdmin(ConsoleAdmin):
    list_display = ("name", "team", "mode", "is_dlq", "paused", "dlq", "created_at", "messages")
    list_filter = (TeamFilter, "paused", "is_dlq", "mode")
    list_select_related = ("team", "dlq")
    search_fields = ("name",)
    search_help_text = "Part of a name, or an id (q_…)."
    id_prefix = "q"
    ordering = ("-id",)
    autocomplete_fields = ("team", "dlq")
    actions = (pause, resume, requeue, purge, delete)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Queue]:
        return super().get_queryset(request).filter(deleted_at=None)

    def get_fieldsets(self, request: HttpRequest, obj: Queue | None = None) -> Any:
        return [
            (None, {"fields": ("team", "name", "mode", *(KNOWN_LATER if obj else ()))}),
            ("Delivery", {"fields": DELIVERY}),
            ("Bounds", {"fields": BOUNDS}),
            ("Other settings", {"fields": REST}),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Queue | None = None) -> tuple[str, ...]:
        return () if obj is None else ("team", "name", "mode", *KNOWN_LATER)

    def save_model(self, request: HttpRequest, obj: Queue, form: ModelForm, change: bool) -> None:
        wanted = {field: form.cleaned_data[field] for field in form.changed_data if field in SETTINGS}
        if "tags" in wanted:
            wanted["tags"] = wanted["tags"] or {}  # an empty field is read as null
        if change:
            _update(person(request), obj, wanted)
        else:
            _create(person(request), obj, wanted)

    @admin.display(description="")
    def messages(self, queue: Queue) -> str:
        address = reverse("admin:queues_message_changelist", query={"queue": queue.public_id})
        return format_html('<a href="{}">messages</a>', address)


def _update(by: User, queue: Queue, wanted: dict[str, Any]) -> None:
    stored = Queue.objects.select_related("team", "dlq").get(pk=queue.pk)
    changes = {name: value for name, value in wanted.items() if getattr(stored, name) != value}
    before = {name: getattr(stored, name) for name in changes}
    with audit.audited(
        by, Action.QUEUE_CHANGED, queue=stored, before=_readable(before), after=_readable(changes)
    ):
        queues.update(stored, **changes)


def _create(by: User, queue: Queue, wanted: dict[str, Any]) -> None:
    with audit.audited(
        by, Action.QUEUE_CREATED, team=queue.team, subject=queue.name, settings=_readable(wanted)
    ):
        made, is_new = queues.create(queue.team, name=queue.name, mode=queue.mode, **wanted)
        if not is_new:
            raise Conflict("The team has a queue of this name.", field="queue_name")
    queue.pk = made.pk


def _readable(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value.name if isinstance(value, Queue) else value for name, value in settings.items()}
