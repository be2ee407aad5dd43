"""Who belongs to which team, and as what."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from dlq_console.access import person
from dlq_console.admin.base import ConsoleAdmin
from dlq_console.admin.filters import TeamFilter
from queues.errors import Invalid, QueueError
from queues.models import Action, Membership
from queues.operations import audit, teams


def add(by: User, membership: Membership) -> None:
    member = membership.user
    with audit.audited(
        by, Action.MEMBER_ADDED, team=membership.team, subject=member.get_username(), role=membership.role
    ):
        membership.pk = teams.add_member(membership.team, member, membership.role).pk


def change(by: User, membership: Membership, fields: list[str]) -> None:
    if {"user", "team"} & set(fields):
        raise Invalid("A membership stays with its person: remove it and add the other one.")
    member = membership.user
    with audit.audited(
        by, Action.MEMBER_CHANGED, team=membership.team, subject=member.get_username(), role=membership.role
    ):
        teams.change_role(membership, membership.role)


def remove(by: User, membership: Membership) -> None:
    subject = membership.user.get_username()
    with audit.audited(by, Action.MEMBER_REMOVED, team=membership.team, subject=subject):
        teams.remove_member(membership)


@admin.register(Membership)
class MembershipAdmin(ConsoleAdmin):
    list_display = ("user", "team", "role", "created_at")
    list_filter = (TeamFilter, "role")
    list_select_related = ("user", "team")
    search_fields = ("user__username", "team__name")
    ordering = ("-id",)
    fields = ("team", "user", "role", "created_at")
    readonly_fields = ("created_at",)
    autocomplete_fields = ("team", "user")

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> tuple[str, ...]:
        return self.readonly_fields if obj is None else ("team", "user", *self.readonly_fields)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """One at a time, on a page that asks; the bulk action would write no audit."""
        return person(request).is_superuser

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {name: action for name, action in super().get_actions(request).items() if "delete" not in name}

    def save_model(self, request: HttpRequest, obj: Membership, form: ModelForm, change_: bool) -> None:
        if change_:
            change(person(request), obj, form.changed_data)
        else:
            add(person(request), obj)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except QueueError as problem:  # by now everything the request did is rolled back
            self.message_user(request, problem.message, messages.ERROR)
            return redirect("admin:queues_membership_change", object_id)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        remove(person(request), obj)
