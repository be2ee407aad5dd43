"""The trash of a queue: who discarded what, when and why, and the way back. Looking changes nothing."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dlq_console import masking
from dlq_console.access import person, rights_in, with_queue
from dlq_console.contents import contents
from dlq_console.paging import page_of
from dlq_console.returning import after_post, back_to, came_from
from dlq_console.ticks import counted, ticked
from dlq_console.views.search import elsewhere
from queues import ids
from queues.errors import MessageNotFound, QueueError
from queues.models import Action, DiscardedMessage, Queue
from queues.operations import audit
from queues.operations import trash as discards
from queues.rights import Right


@require_safe
@with_queue()
def trash(request: HttpRequest, queue: Queue) -> HttpResponse:
    page = page_of(request, discards.in_brief(discards.trash_of(queue)), newest_first=True)
    context = {
        "queue": queue,
        "page": page,
        "rows": [(row, masking.preview(row.beginning or "")) for row in page.rows],
        "may": rights_in(request, queue.team),
        "address": request.get_full_path(),
    }
    return render(request, "dlq_console/trash/trash.html", context)


@require_safe
@with_queue()
def message(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    try:
        found = discards.find(queue, message_id)
    except MessageNotFound:
        return elsewhere(request, message_id)
    return _page(request, queue, found, reveal=False)


@require_POST
@with_queue(Right.REVEAL)
def reveal(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    try:
        found = discards.find(queue, message_id)
    except MessageNotFound as error:
        raise Http404(error.message) from None
    with audit.audited(person(request), Action.MESSAGE_REVEALED, queue=queue, subject=message_id):
        return _page(request, queue, found, reveal=True)


@require_POST
@with_queue(Right.DISCARD)
def restore(request: HttpRequest, queue: Queue) -> HttpResponse:
    """The messages that the address or the form names come back out of the trash."""
    back = back_to(request, reverse("console:trash", args=[queue.public_id]))
    wanted, user = ticked(request), person(request)
    if not wanted:
        messages.warning(request, "Tick some messages first: nothing was changed.")
        return after_post(back)
    try:
        with audit.audited(user, Action.MESSAGE_RESTORED, queue=queue, ids=wanted) as detail:
            detail["count"] = discards.restore(queue, wanted, by=user.get_username())
            if not detail["count"]:
                raise MessageNotFound("There is nothing to restore: it is back already, or gone for good.")
    except QueueError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"Restored {counted(detail['count'])} to {queue.name}")
    return after_post(back)


def _page(request: HttpRequest, queue: Queue, found: DiscardedMessage, *, reveal: bool) -> HttpResponse:
    context = {
        **contents(discards.as_message(found), reveal=reveal),
        "queue": queue,
        "discarded": found,
        "replaced_by": ids.message_id(found.replaced_by) if found.replaced_by else "",
        "may": rights_in(request, queue.team),
        "came_from": came_from(request),
    }
    return render(request, "dlq_console/trash/message.html", context)
