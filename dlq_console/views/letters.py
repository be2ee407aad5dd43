"""What is done with one dead letter: requeue it, take that back, discard it, edit it and send it anew."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from dlq_console import masking, notices
from dlq_console.access import person, require, rights_in, with_queue
from dlq_console.returning import after_post, back_to
from dlq_console.views.search import elsewhere
from queues.errors import MessageNotFound, QueueError
from queues.models import Action, Message, Queue
from queues.operations import audit, dead_letters, edit, look, trash
from queues.rights import Right


@require_POST
@with_queue(Right.REQUEUE)
def requeue(request: HttpRequest, dlq: Queue, message_id: str) -> HttpResponse:
    """One click. With htmx the row goes and a notice comes; without, the same page comes again."""
    user, back = person(request), back_to(request, _letters(dlq))
    try:
        with audit.audited(user, Action.MESSAGE_REQUEUED, queue=dlq, subject=message_id) as detail:
            target = dead_letters.requeue(dlq, message_id, requested_by=user.get_username())
            detail["to"] = target.name
    except QueueError as error:
        return _refused(request, error, back)
    undo = reverse("console:undo-requeue", args=[dlq.public_id, message_id])
    notices.offer_undo(request, f"Requeued to {target.name}", undo, back)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "dlq_console/dead_letters/_gone.html")
    return after_post(back)


@require_POST
@with_queue(Right.REQUEUE)
def undo_requeue(request: HttpRequest, dlq: Queue, message_id: str) -> HttpResponse:
    user, back = person(request), back_to(request, _letters(dlq))
    try:
        with audit.audited(user, Action.REQUEUE_UNDONE, queue=dlq, subject=message_id):
            dead_letters.undo_requeue(dlq, message_id, requested_by=user.get_username())
    except QueueError as error:
        return _refused(request, error, back)
    messages.success(request, f"The message is a dead letter of {dlq.name} again.")
    return after_post(back)


@require_POST
@with_queue(Right.DISCARD)
def discard(request: HttpRequest, queue: Queue, message_id: str) -> HttpResponse:
    user, back, reason = person(request), back_to(request, _letters(queue)), request.POST.get("reason", "")
    try:
        with audit.audited(user, Action.MESSAGE_DISCARDED, queue=queue, subject=message_id, reason=reason):
            if not trash.discard(queue, [message_id], by=user.get_username(), reason=reason):
                raise MessageNotFound("It is gone, or a consumer holds it just now: nothing was discarded.")
    except QueueError as error:
        return _refused(request, error, back)
    undo = reverse("console:restore", args=[queue.public_id], query={"message_id": message_id})
    notices.offer_undo(request, "Discarded: it is in the trash", undo, back)
    return after_post(back)


@require_http_methods(["GET", "HEAD", "POST"])
@with_queue(Right.EDIT)
def edit_letter(request: HttpRequest, dlq: Queue, message_id: str) -> HttpResponse:
    """The body in a text area. What is refused comes back with the reason, and nothing typed is lost."""
    try:
        message = look.find_message(dlq, message_id)
    except MessageNotFound:
        return elsewhere(request, message_id)
    if "reveal" in request.POST:
        require(request, dlq.team, Right.REVEAL)
        with audit.audited(person(request), Action.MESSAGE_REVEALED, queue=dlq, subject=message_id):
            return _edit_page(request, dlq, message, data=message.data)
    if request.method == "POST":
        data, reason = request.POST.get("data", ""), request.POST.get("reason", "")
        # A browser ends the lines of a text area with CRLF, whatever the body had.
        text = data if "\r\n" in message.data else data.replace("\r\n", "\n")
        try:
            return _edited(request, dlq, message_id, text, reason)
        except QueueError as error:
            return _edit_page(request, dlq, message, data=data, reason=reason, problem=error.message)
    # Whoever edits secret fields sees them: that is a reveal, asked for by a POST of its own.
    hides = masking.masked_text(message.data) != message.data
    return _edit_page(request, dlq, message, data=None if hides else message.data)


def _edit_page(
    request: HttpRequest,
    dlq: Queue,
    message: Message,
    *,
    data: str | None,
    reason: str = "",
    problem: str = "",
) -> HttpResponse:
    context = {
        "queue": dlq,
        "message": message,
        "source": Queue.objects.live().filter(pk=message.source_queue_id).first(),
        "may": rights_in(request, dlq.team),
        "data": data,
        "reason": reason,
        "problem": problem,
    }
    return render(request, "dlq_console/messages/edit.html", context, status=400 if problem else 200)


def _edited(request: HttpRequest, dlq: Queue, message_id: str, data: str, reason: str) -> HttpResponse:
    user = person(request)
    with audit.audited(user, Action.MESSAGE_EDITED, queue=dlq, subject=message_id, reason=reason) as detail:
        target, new_id = edit.edit_and_requeue(
            dlq, message_id, data=data, by=user.get_username(), reason=reason
        )
        detail.update(to=target.name, new_message=new_id)
    messages.success(request, f"Sent anew to {target.name}; the original is in the trash.")
    return after_post(reverse("console:message", args=[target.public_id, new_id]))


def _letters(queue: Queue) -> str:
    return reverse("console:dead-letters" if queue.is_dlq else "console:browse", args=[queue.public_id])


def _refused(request: HttpRequest, error: QueueError, back: str) -> HttpResponse:
    """Said on the page the person was on; nothing has changed. htmx is told to go there."""
    messages.error(request, error.message)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=204, headers={"HX-Redirect": back})
    return after_post(back)
