"""The settings of a queue: looked at by the whole team, changed by those who may."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from dlq_console.access import person, require, rights_in, with_queue
from dlq_console.forms.queue import ChangeQueueForm
from dlq_console.preview import preview_of
from dlq_console.returning import after_post
from queues.errors import QueueError
from queues.models import Action, Queue
from queues.operations import audit, queues
from queues.rights import Right


@require_http_methods(["GET", "HEAD", "POST"])
@with_queue()
def settings(request: HttpRequest, queue: Queue) -> HttpResponse:
    if request.method != "POST":
        return _page(request, queue, ChangeQueueForm(queue=queue))
    require(request, queue.team, Right.MANAGE_QUEUES)
    form = ChangeQueueForm(request.POST, queue=queue)
    if not form.is_valid():
        return _page(request, queue, form, status=400)
    try:
        said = _change(request, queue, form)
    except QueueError as problem:
        form.refuse(problem)
        return _page(request, queue, form, status=400)
    messages.success(request, said)
    return after_post(reverse("console:queue-settings", args=[queue.public_id]))


@require_POST
@with_queue(Right.MANAGE_QUEUES)
def preview(request: HttpRequest, queue: Queue) -> HttpResponse:
    """What is typed, in words. Nothing is changed here."""
    form = ChangeQueueForm(request.POST, queue=queue)
    form.is_valid()
    return _page(request, queue, form, only_preview=bool(request.htmx))  # type: ignore[attr-defined]


def _change(request: HttpRequest, queue: Queue, form: ChangeQueueForm) -> str:
    changes = form.changes()
    if not changes:
        return "Nothing was changed: the settings are as they were."
    user, reason = person(request), form.cleaned_data["reason"]
    with audit.audited(user, Action.QUEUE_CHANGED, queue=queue, reason=reason) as detail:
        _, noted = queues.update_noting(queue, changes)
        detail["before"] = {name: before for name, (before, _) in noted.items()}
        detail["after"] = {name: after for name, (_, after) in noted.items()}
    return "Saved. The new settings hold for the next request."


def _page(
    request: HttpRequest, queue: Queue, form: ChangeQueueForm, status: int = 200, only_preview: bool = False
) -> HttpResponse:
    rights = rights_in(request, queue.team)
    context = {
        "queue": queue,
        "tab": "settings",
        "form": form,
        "preview": preview_of(form),
        "rights": {right.value for right in rights},
        "may_change": Right.MANAGE_QUEUES in rights,
    }
    template = "_preview" if only_preview else "settings"
    return render(request, f"dlq_console/queue_form/{template}.html", context, status=status)
