"""What is done with the dead letters that are ticked on a page, all at once."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from dlq_console import notices
from dlq_console.access import person, require, with_queue
from dlq_console.returning import after_post, back_to
from queues import limits
from queues.errors import QueueError
from queues.models import Action, Queue, RedriveTask
from queues.operations import audit, redrive, redrive_run, trash
from queues.rights import Right


@require_POST
@with_queue()
def bulk(request: HttpRequest, dlq: Queue) -> HttpResponse:
    back = back_to(request, reverse("console:dead-letters", args=[dlq.public_id]))
    ticked = request.POST.getlist("message_id")[: limits.MAX_PAGE_SIZE]
    deed, right = DEEDS.get(request.POST.get("do", ""), (_requeue, Right.REQUEUE))
    require(request, dlq.team, right)
    if not ticked:
        messages.warning(request, "Tick some messages first: nothing was changed.")
        return after_post(back)
    try:
        deed(request, dlq, ticked, request.POST.get("reason", ""), back)
    except QueueError as error:
        messages.error(request, error.message)
    return after_post(back)


def _requeue(request: HttpRequest, dlq: Queue, ticked: list[str], reason: str, back: str) -> None:
    """A redrive of these ids, worked off at once: so few need not wait for maintenance."""
    user = person(request)
    with audit.audited(user, Action.REDRIVE_STARTED, queue=dlq, reason=reason) as detail:
        # They are named one by one, so the guard against letters that come back every time does not apply.
        named = {"message_ids": ticked, "max_redrive_count": limits.REDRIVE_COUNT[1]}
        task = redrive.start(dlq, filter=named, requested_by=user.get_username())
        while not redrive_run.advance(task.pk, limits.MAX_PAGE_SIZE).idle:
            pass
        task = RedriveTask.objects.get(pk=task.pk)
        detail.update(redrive=task.public_id, moved=task.moved, skipped=task.skipped)
    undo = reverse("console:redrive-undo", args=[dlq.public_id, task.public_id])
    notices.offer_undo(request, _result(task, len(ticked)), undo, back)


def _discard(request: HttpRequest, dlq: Queue, ticked: list[str], reason: str, back: str) -> None:
    user = person(request)
    with audit.audited(user, Action.MESSAGE_DISCARDED, queue=dlq, reason=reason, ids=ticked) as detail:
        detail["count"] = trash.discard(dlq, ticked, by=user.get_username(), reason=reason)
    restore = reverse("console:restore", args=[dlq.public_id])
    query = "&".join(f"message_id={message_id}" for message_id in ticked)
    notices.offer_undo(request, f"Discarded {_messages(detail['count'])}", f"{restore}?{query}", back)


def _result(task: RedriveTask, ticked: int) -> str:
    left = ticked - task.moved
    stay = f"; {left} stayed: {task.reason or ', '.join(task.skipped) or 'gone already'}" if left else ""
    return f"Requeued {_messages(task.moved)}{stay}"


def _messages(count: int) -> str:
    return f"{count} {'message' if count == 1 else 'messages'}"


DEEDS = {"requeue": (_requeue, Right.REQUEUE), "discard": (_discard, Right.DISCARD)}
