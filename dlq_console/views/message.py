"""One message: what it says, what happened to it, why it is not delivered. Looking changes nothing."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dlq_console import masking
from dlq_console.access import find_message, person, rights_in, with_queue
from dlq_console.contents import contents
from dlq_console.exact_json import printable
from dlq_console.returning import came_from
from dlq_console.views.search import elsewhere
from queues import diffs
from queues.errors import MessageNotFound
from queues.models import Action, Message, Queue
from queues.operations import audit, look, search
from queues.operations.why import why_not_delivered
from queues.rights import Right

DIFF_LINES = 2_000
DIFF_KINDS = {"+": "diff-add", "-": "diff-del"}


@require_safe
@with_queue()
def message(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    try:
        found = look.find_message(queue, message_id)
    except MessageNotFound:
        return elsewhere(request, message_id)
    return _page(request, queue, found, reveal=False)


@require_POST
@with_queue(Right.REVEAL)
def reveal(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    """The same page with its secret fields: asked for by a POST, noted in the audit, kept nowhere."""
    found = find_message(queue, message_id)
    with audit.audited(person(request), Action.MESSAGE_REVEALED, queue=queue, subject=message_id):
        return _page(request, queue, found, reveal=True)


@require_safe
@with_queue()
def raw(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    """The whole body as a download, masked: a browser must not make a page of it."""
    text = masking.masked_text(find_message(queue, message_id).data)
    response = HttpResponse(printable(text), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{message_id}.txt"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_safe
@with_queue()
def diff(request: HttpRequest, queue: Queue) -> HttpResponse:
    """Two messages of a queue, line by line."""
    one, other = (request.GET.get(name, "").strip() for name in ("a", "b"))
    lines: list[tuple[str, str]] = []
    if one and other:
        lines = _compared(*(find_message(queue, each) for each in (one, other)))
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
        **contents(found, reveal=reveal),
        "queue": queue,
        "state": look.state_of(found),
        "why": why_not_delivered(queue, found),
        "source": source,
        "group_search": search.for_group(found.fingerprint or ""),
        # While it waits for another try, the last redrive may yet succeed.
        "came_back": found.redrive_count if found.dead_lettered_at else found.redrive_count - 1,
        "may": rights_in(request, queue.team),
        "came_from": came_from(request),
    }
    return render(request, "dlq_console/messages/message.html", context)


def _compared(one: Message, other: Message) -> list[tuple[str, str]]:
    before, after = (masking.masked_text(each.data) for each in (one, other))
    found = diffs.unified(before, after, one.public_id, other.public_id)
    return [(DIFF_KINDS.get(line[:1], ""), printable(line)) for line in found.split("\n") if found]
