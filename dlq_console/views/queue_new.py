"""A new queue: the form, its preview, and the page that shows how to use what was made."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dlq_console import presets
from dlq_console.access import person, require, rights_in, teams_with, with_queue
from dlq_console.forms.queue import NewQueueForm
from dlq_console.preview import preview_of
from dlq_console.returning import after_post
from dlq_console.snippets import snippets
from queues.errors import QueueError
from queues.models import Queue, Team
from queues.operations import self_service
from queues.operations.keys import IssuedKey
from queues.operations.teams import quotas
from queues.rights import Right


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    teams = _teams(request)
    if request.method == "POST":
        return _create(request, NewQueueForm(request.POST, teams=teams))
    preset = presets.find(request.GET.get("preset", ""))
    start = {"team": request.GET.get("team", teams[0].name)}
    return _page(request, NewQueueForm(teams=teams, preset=preset, initial=start))


@require_POST
@login_required
def preview(request: HttpRequest) -> HttpResponse:
    """What is typed, in words. Nothing is made here: only the part for htmx, the whole page without it."""
    form = NewQueueForm(request.POST, teams=_teams(request))
    form.is_valid()
    return _page(request, form, only_preview=bool(request.htmx))  # type: ignore[attr-defined]


@require_safe
@with_queue()
def connect(request: HttpRequest, queue: Queue) -> HttpResponse:
    return _connect_page(request, queue)


def _create(request: HttpRequest, form: NewQueueForm) -> HttpResponse:
    if not form.is_valid():
        return _page(request, form, status=400)
    team, wish = form.cleaned_data["team"], form.key_wish()
    if wish:
        require(request, team, Right.MANAGE_KEYS)
    try:
        queue, issued = self_service.create_queue(
            person(request),
            team,
            name=form.cleaned_data["name"],
            dlq_name=form.cleaned_data["dlq_name"],
            key=wish,
            mode=form.cleaned_data["mode"],
            **form.settings(),
        )
    except QueueError as problem:
        form.refuse(problem)
        return _page(request, form, status=400)
    if issued is None:
        messages.success(request, f"{queue.name} is ready.")
        return after_post(reverse("console:queue-connect", args=[queue.public_id]))
    # The answer to the POST itself: a secret kept for a page after it would be kept somewhere. Loaded again,
    # the POST finds the name taken.
    return _connect_page(request, queue, issued)


def _teams(request: HttpRequest) -> list[Team]:
    teams = teams_with(request, Right.MANAGE_QUEUES)
    if not teams:
        raise PermissionDenied("Your role does not include creating queues.")
    return teams


def _page(
    request: HttpRequest, form: NewQueueForm, status: int = 200, only_preview: bool = False
) -> HttpResponse:
    team = form.teams.get(form["team"].value() or "")
    context: dict[str, Any] = {
        "form": form,
        "preview": preview_of(form),
        "team": team,
        "quota": quotas(team).queues if team else None,
        "presets": presets.offered(),
    }
    template = "_preview" if only_preview else "new"
    return render(request, f"dlq_console/queue_form/{template}.html", context, status=status)


def _connect_page(request: HttpRequest, queue: Queue, issued: IssuedKey | None = None) -> HttpResponse:
    context = {
        "queue": queue,
        "tab": "connect",
        "issued": issued,
        "may_make_keys": Right.MANAGE_KEYS in rights_in(request, queue.team),
        "snippets": snippets(request, queue, issued.bearer if issued else ""),
    }
    return render(request, "dlq_console/queue/connect.html", context)
