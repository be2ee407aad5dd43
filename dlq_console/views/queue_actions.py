"""What is done with a whole queue: paused and resumed at once, purged and deleted after a question."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from dlq_console.access import person, with_queue
from dlq_console.forms.confirm import DeleteForm, NameForm, posted
from dlq_console.returning import after_post, back_to
from queues.errors import QueueError, QueueNotFound
from queues.models import Action, Queue
from queues.operations import audit, look, queues
from queues.rights import Right


@require_POST
@with_queue(Right.PAUSE)
def pause(request: HttpRequest, queue: Queue) -> HttpResponse:
    said = f"{queue.name} delivers nothing until it is resumed. Sends go on."
    return _set_paused(request, queue, Action.QUEUE_PAUSED, queues.pause, said)


@require_POST
@with_queue(Right.PAUSE)
def resume(request: HttpRequest, queue: Queue) -> HttpResponse:
    return _set_paused(request, queue, Action.QUEUE_RESUMED, queues.resume, f"{queue.name} delivers again.")


@require_http_methods(["GET", "HEAD", "POST"])
@with_queue(Right.PURGE)
def purge(request: HttpRequest, queue: Queue) -> HttpResponse:
    form = NameForm(posted(request), queue=queue)
    if not form.is_valid():
        return _question(request, queue, "purge", form)
    reason = form.cleaned_data["reason"]
    with audit.audited(person(request), Action.QUEUE_PURGED, queue=queue, reason=reason) as detail:
        detail["purged"] = purged = queues.purge(queue)
    messages.success(request, f"Purged: {purged:,} message{'' if purged == 1 else 's'} removed for good.")
    return after_post(reverse("console:queue", args=[queue.public_id]))


@require_http_methods(["GET", "HEAD", "POST"])
@with_queue(Right.PURGE)
def delete(request: HttpRequest, queue: Queue) -> HttpResponse:
    form = DeleteForm(posted(request), queue=queue)
    if not form.is_valid():
        return _question(request, queue, "delete", form, **_fate_of_dlq(queue))
    with_dlq, reason = form.cleaned_data["with_dlq"], form.cleaned_data["reason"]
    asked = {"reason": reason, "with_dlq": with_dlq}
    try:
        with audit.audited(person(request), Action.QUEUE_DELETED, queue=queue, **asked) as detail:
            kept = queues.delete(queue, with_dlq=with_dlq)
            detail["kept_dlq"] = kept.name if kept else None
    except QueueNotFound:  # somebody else has deleted it just now
        raise Http404("There is no such queue.") from None
    stays = f" Its dead-letter queue {kept.name} stays." if kept else ""
    messages.success(request, f"{queue.name} is deleted.{stays}")
    return after_post(reverse("console:overview"))


def _set_paused(
    request: HttpRequest, queue: Queue, action: Action, deed: Callable[[Queue], Any], said: str
) -> HttpResponse:
    try:
        with audit.audited(person(request), action, queue=queue, reason=request.POST.get("reason", "")):
            deed(queue)
    except QueueError as problem:
        messages.error(request, problem.message)
    else:
        messages.success(request, said)
    return after_post(back_to(request, reverse("console:queue", args=[queue.public_id])))


def _fate_of_dlq(queue: Queue) -> dict[str, Any]:
    """Whether the dead-letter queue may go too: one made for this queue, which no other uses."""
    dlq = queue.dlq
    if dlq is None:
        return {}
    others = [source for source in look.source_queues(dlq) if source.pk != queue.pk]
    return {"dlq": dlq, "dlq_counts": look.count(dlq), "may_go": queue.dlq_is_lazy and not others}


def _question(request: HttpRequest, queue: Queue, template: str, form: NameForm, **more: Any) -> HttpResponse:
    context = {
        "queue": queue,
        "tab": "settings",
        "form": form,
        "counts": look.count(queue),
        "sources": look.source_queues(queue),
        **more,
    }
    status = 400 if form.is_bound else 200
    return render(request, f"dlq_console/queue_form/{template}.html", context, status=status)
