"""Teams, with their members beside them. A team cannot be deleted here: its audit would go with it."""

from typing import Any

from django.contrib import admin
from django.forms import ModelForm
from django.http import HttpRequest

from dlq_console.access import person
from dlq_console.admin import membership
from dlq_console.admin.base import ConsoleAdmin
from queues.models import Action, Membership, Role, Team
from queues.operations import audit, teams


class MembershipInline(admin.TabularInline):
    model = Membership
    fields = ("user", "role", "created_at")
    readonly_fields = ("created_at",)
    autocomplete_fields = ("user",)
    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return person(request).is_superuser

    has_change_permission = has_delete_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return person(request).is_superuser


@admin.register(Team)
class TeamAdmin(ConsoleAdmin):
    list_display = ("name", "max_queues", "max_topics", "max_api_keys", "created_at")
    search_fields = ("name",)
    ordering = ("name",)
    fields = ("name", "max_queues", "max_topics", "max_api_keys", "created_at")
    readonly_fields = ("created_at",)
    inlines = (MembershipInline,)

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        """Addresses, clients and dashboards know a team by its name."""
        return self.readonly_fields if obj is None else ("name", *self.readonly_fields)

    def save_model(self, request: HttpRequest, obj: Team, form: ModelForm, change: bool) -> None:
        if not change:
            _create(obj)
        action = Action.TEAM_CHANGED if change else Action.TEAM_CREATED
        wanted = {field: form.cleaned_data[field] for field in form.changed_data if field != "name"}
        with audit.audited(person(request), action, team=obj, subject=obj.name, **wanted):
            obj.save()

    def save_formset(self, request: HttpRequest, form: ModelForm, formset: Any, change: bool) -> None:
        """New owners first: the old one can go, or be demoted, in the same form."""
        formset.save(commit=False)
        for added in formset.new_objects:
            membership.add(person(request), added)
        for changed, fields in sorted(formset.changed_objects, key=lambda row: row[0].role != Role.OWNER):
            membership.change(person(request), changed, fields)
        for gone in formset.deleted_objects:
            membership.remove(person(request), gone)


def _create(team: Team) -> None:
    made = teams.create_team(team.name)
    team.pk, team.created_at = made.pk, made.created_at
    team._state.adding = False
