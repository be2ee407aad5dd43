"""One message: what it says, what happened to it, why it is not delivered. Looking changes nothing."""

import difflib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dlq_console import payload
from dlq_console.access import find_message, person, rights_in, with_queue
from queues import limits
from queues.models import Action, Message, Queue
from queues.operations import audit, edit, look
from queues.operations.timeline import timeline
from queues.operations.why import why_not_delivered
from queues.rights import Right

DIFF_LINES = 2_000


@require_GET
@with_queue()
def message(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    return _page(request, queue, find_message(queue, message_id), reveal=False)


@require_POST
@with_queue(Right.REVEAL)
def reveal(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    """The same page with its secret fields: asked for by a POST, noted in the audit, kept nowhere."""
    found = find_message(queue, message_id)
    with audit.audited(person(request), Action.MESSAGE_REVEALED, queue=queue, subject=message_id):
        return _page(request, queue, found, reveal=True)


@require_GET
@with_queue()
def raw(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    """The whole body as a download, masked: a browser must not make a page of it."""
    text = payload.masked_text(find_message(queue, message_id).data)
    response = HttpResponse(payload.printable(text), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{message_id}.txt"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_GET
@with_queue()
def diff(request: HttpRequest, queue: Queue) -> HttpResponse:
    """Two messages of a queue side by side, line by line."""
    one, other = request.GET.get("a", ""), request.GET.get("b", "")
    lines: list[tuple[str, str]] = []
    if one and other:
        bodies = [payload.masked_text(find_message(queue, each).data) for each in (one, other)]
        lines = _compared(*bodies)
    context = {
        "queue": queue,
        "a": one,
        "b": other,
        "lines": lines[:DIFF_LINES],
        "cut": len(lines) > DIFF_LINES,
    }
    return render(request, "dlq_console/messages/diff.html", context)


def _page(request: HttpRequest, queue: Queue, found: Message, *, reveal: bool) -> HttpResponse:
    source = Queue.objects.live().filter(pk=found.source_queue_id).first() if found.source_queue_id else None
    context = {
        "queue": queue,
        "message": found,
        "state": look.state_of(found),
        "why": why_not_delivered(queue, found),
        "timeline": timeline(found),
        "edits": edit.edits_of(found.public_id),
        "payload": payload.view(found.data, reveal=reveal),
        "revealed": reveal,
        "source": source,
        "guard": limits.MOST_REDRIVES,
        "may": rights_in(request, queue.team),
    }
    return render(request, "dlq_console/messages/message.html", context)


def _compared(one: str, other: str) -> list[tuple[str, str]]:
    before, after = (
        payload.printable(payload.pretty(text))[: payload.SHOWN_CHARACTERS] for text in (one, other)
    )
    kinds = {"+": "diff-add", "-": "diff-del"}
    found = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=3)
    return [(kinds.get(line[:1], ""), line) for line in found][2:]
