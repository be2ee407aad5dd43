"""Search everywhere: an id leads straight to its thing, other words to queues and dead letters."""

import uuid
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlq_console import masking
from dlq_console.access import queues_of, teams_of
from queues import ids, limits
from queues.errors import SearchTooSlow
from queues.models import RedriveTask
from queues.operations import everywhere
from queues.operations.search import parse


@require_safe
@login_required
def search(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()[: limits.SEARCH_LENGTH]
    for prefix, lead in LEADS.items():
        if uid := ids.decode(prefix, text):
            return lead(request, text, uid)
    return _page(request, text, **(_found(request, text) if text else {}))


def elsewhere(request: HttpRequest, message_id: str) -> HttpResponse:
    """For a message that has left the place its address names: to where it is, or what became of it."""
    uid = ids.decode("msg", message_id)
    if uid is None:
        raise Http404("There is no such message.")
    answer = _to_message(request, message_id, uid)
    if answer.status_code == HTTPStatus.OK:  # it is nowhere
        answer.status_code = HTTPStatus.NOT_FOUND
    else:
        messages.info(request, "The message is no longer where you looked for it: this is where it is.")
    return answer


def _to_queue(request: HttpRequest, text: str, uid: uuid.UUID) -> HttpResponse:
    if queues_of(request).filter(uid=uid).exists():
        return redirect("console:queue", text)
    return _page(request, text, missing="queue")


def _to_redrive(request: HttpRequest, text: str, uid: uuid.UUID) -> HttpResponse:
    task = RedriveTask.objects.filter(uid=uid, dlq__in=queues_of(request)).select_related("dlq").first()
    if task is not None:
        return redirect("console:redrive", task.dlq.public_id, text)
    return _page(request, text, missing="redrive")


def _to_message(request: HttpRequest, text: str, uid: uuid.UUID) -> HttpResponse:
    if found := everywhere.find_message(queues_of(request), uid):
        queue, place = found
        name = "message" if place == everywhere.LIVE else "trash-message"
        return redirect(f"console:{name}", queue.public_id, text)
    try:
        return _page(request, text, missing="message", ending=everywhere.find_ending(teams_of(request), uid))
    except SearchTooSlow:
        return _page(request, text, missing="message", log_too_long=True)


def _found(request: HttpRequest, text: str) -> dict[str, Any]:
    wanted, mine = parse(text), queues_of(request)
    words = wanted.filter.get("text", [])
    # Qualifiers are for messages: a queue matches by words alone.
    only_words = bool(words) and set(wanted.filter) == {"text"}
    queues, more_queues = everywhere.find_queues(mine, words) if only_words else ([], False)
    findings = everywhere.find_letters(mine, wanted)
    return {
        "problems": wanted.problems,
        "queues": queues,
        "more_queues": more_queues,
        "letters": [_shown(found, text) for found in findings.letters[: everywhere.MOST_QUEUES]],
        "more_letters": len(findings.letters) > everywhere.MOST_QUEUES,
        "too_deep": findings.too_deep,
        "searched": not wanted.problems,
    }


def _shown(found: everywhere.Letters, text: str) -> dict[str, Any]:
    return {
        "queue": found.queue,
        "rows": [(message, masking.preview(message.beginning)) for message in found.messages],
        "has_more": found.has_more,
        "all": reverse("console:dead-letters", args=[found.queue.public_id], query={"q": text}),
    }


def _page(request: HttpRequest, text: str, **context: Any) -> HttpResponse:
    context |= {"text": text, "address": request.get_full_path()}
    return render(request, "dlq_console/search/search.html", context)


LEADS = {"q": _to_queue, "msg": _to_message, "rd": _to_redrive}
