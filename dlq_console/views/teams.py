"""Somebody's teams, and who belongs to each of them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlq_console.access import person, rights_in, roles_of, teams_of, with_team
from dlq_console.forms.confirm import ReasonForm, posted
from dlq_console.forms.member import ROLES, MemberForm
from dlq_console.paging import page_of
from dlq_console.returning import after_post
from queues.errors import QueueError
from queues.models import Action, Membership, Role, Team
from queues.operations import audit
from queues.operations import teams as operations
from queues.rights import Right


@require_safe
@login_required
def teams(request: HttpRequest) -> HttpResponse:
    roles, found = roles_of(request), list(teams_of(request))
    quotas = operations.quotas_of(found)
    rows = [(team, Role(roles[team.pk]), quotas[team.pk]) for team in found]
    return render(request, "dlq_console/teams/teams.html", {"rows": rows})


@require_safe
@with_team()
def team(request: HttpRequest, team: Team) -> HttpResponse:
    return _page(request, team, MemberForm())


@require_POST
@with_team(Right.MANAGE_MEMBERS)
def add_member(request: HttpRequest, team: Team) -> HttpResponse:
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, team, form, status=400)
    username, role = form.cleaned_data["username"], form.cleaned_data["role"]
    try:
        with audit.audited(person(request), Action.MEMBER_ADDED, team=team, subject=username, role=role):
            operations.invite(team, username, role)
    except QueueError as problem:
        form.refuse(problem)
        return _page(request, team, form, status=400)
    messages.success(request, f"{username} is a member of {team.name} now.")
    return after_post(_address(team))


@require_POST
@with_team(Right.MANAGE_MEMBERS)
def change_role(request: HttpRequest, team: Team, member_id: int) -> HttpResponse:
    member, role = _find(team, member_id), request.POST.get("role", "")
    username = member.user.get_username()
    change: dict[str, Any] = {"before": member.role, "after": role}
    try:
        with audit.audited(person(request), Action.MEMBER_CHANGED, team=team, subject=username, **change):
            operations.change_role(member, role)
    except QueueError as problem:
        messages.error(request, f"{username}: {problem.message}")
    else:
        messages.success(request, f"{username} is {_article(role)} of {team.name} now.")
    return after_post(_address(team))


@require_http_methods(["GET", "HEAD", "POST"])
@with_team(Right.MANAGE_MEMBERS)
def remove_member(request: HttpRequest, team: Team, member_id: int) -> HttpResponse:
    member, form = _find(team, member_id), ReasonForm(posted(request))
    if not form.is_valid():
        context = {"team": team, "member": member, "form": form, "is_self": member.user == person(request)}
        return render(request, "dlq_console/teams/remove_member.html", context)
    username, reason = member.user.get_username(), form.cleaned_data["reason"]
    try:
        with audit.audited(
            person(request), Action.MEMBER_REMOVED, team=team, subject=username, reason=reason
        ):
            operations.remove_member(member)
    except QueueError as problem:
        messages.error(request, f"{username}: {problem.message}")
        return after_post(_address(team))
    messages.success(request, f"{username} is no longer a member of {team.name}.")
    has_left = member.user == person(request)
    return after_post(reverse("console:teams") if has_left else _address(team))


def _find(team: Team, member_id: int) -> Membership:
    member = Membership.objects.select_related("user", "team").filter(team=team, pk=member_id).first()
    if member is None:
        raise Http404("There is no such member.")
    return member


def _address(team: Team) -> str:
    return reverse("console:team", args=[team.name])


def _article(role: str) -> str:
    return f"{'a' if role == Role.VIEWER else 'an'} {role}"


def _page(request: HttpRequest, team: Team, form: MemberForm, status: int = 200) -> HttpResponse:
    rights = rights_in(request, team)
    context = {
        "team": team,
        "tab": "members",
        "page": page_of(request, team.memberships.select_related("user")),
        "quotas": operations.quotas(team),
        "roles": ROLES.items(),
        "form": form,
        "may_manage": Right.MANAGE_MEMBERS in rights,
        "may_see_keys": Right.MANAGE_KEYS in rights,
    }
    return render(request, "dlq_console/teams/team.html", context, status=status)
