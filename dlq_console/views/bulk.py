"""What is done with the dead letters that are ticked on a page, all at once."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from dlq_console import notices
from dlq_console.access import person, require, with_queue
from dlq_console.redrive_wording import staying
from dlq_console.returning import after_post, back_to
from dlq_console.ticks import counted, ticked
from queues import limits
from queues.errors import Invalid, QueueError
from queues.models import Action, Queue, RedriveStatus, RedriveTask
from queues.operations import audit, redrive, redrive_run, trash
from queues.rights import Right

Deed = Callable[[HttpRequest, Queue, list[str], str], str]


@require_POST
@with_queue()
def bulk(request: HttpRequest, dlq: Queue) -> HttpResponse:
    back = back_to(request, reverse("console:dead-letters", args=[dlq.public_id]))
    right, deed = DEEDS.get(request.POST.get("do", ""), (Right.VIEW, _nothing))
    require(request, dlq.team, right)
    wanted = ticked(request)
    if not wanted:
        messages.warning(request, "Tick some messages first: nothing was changed.")
        return after_post(back)
    try:
        return after_post(deed(request, dlq, wanted, back))
    except QueueError as error:
        messages.error(request, error.message)
        return after_post(back)


def _requeue(request: HttpRequest, dlq: Queue, wanted: list[str], back: str) -> str:
    """A redrive of these ids, worked off at once: so few need not wait for maintenance."""
    user, reason = person(request), request.POST.get("reason", "")
    with audit.audited(user, Action.REDRIVE_STARTED, queue=dlq, reason=reason) as detail:
        # They are named one by one, so the guard against letters that come back every time does not apply.
        named = {"message_ids": wanted, "max_redrive_count": limits.REDRIVE_COUNT[1]}
        task = redrive.start(dlq, filter=named, requested_by=user.get_username())
        while not redrive_run.advance(task.pk, limits.MAX_PAGE_SIZE).idle:
            pass
        task = RedriveTask.objects.get(pk=task.pk)
        detail.update(redrive_id=task.public_id, moved=task.moved, skipped=task.skipped)
    undo = reverse("console:redrive-undo", args=[dlq.public_id, task.public_id])
    notices.offer_undo(request, _result(task, len(wanted)), undo, back)
    return back


def _discard(request: HttpRequest, dlq: Queue, wanted: list[str], back: str) -> str:
    user, reason = person(request), request.POST.get("reason", "")
    with audit.audited(user, Action.MESSAGE_DISCARDED, queue=dlq, reason=reason, ids=wanted) as detail:
        detail["count"] = trash.discard(dlq, wanted, by=user.get_username(), reason=reason)
        if not detail["count"]:
            raise Invalid("They are gone, or consumers hold them just now: nothing was discarded.")
    restore = reverse("console:restore", args=[dlq.public_id], query={"message_id": wanted})
    notices.offer_undo(request, f"Discarded {counted(detail['count'])}", restore, back)
    return back


def _compare(request: HttpRequest, dlq: Queue, wanted: list[str], back: str) -> str:
    if len(wanted) != 2:
        raise Invalid("Tick two messages to compare them.")
    return reverse("console:message-diff", args=[dlq.public_id], query=dict(zip("ab", wanted, strict=True)))


def _nothing(request: HttpRequest, dlq: Queue, wanted: list[str], back: str) -> str:
    raise Invalid("Choose what to do with them: nothing was changed.")


def _result(task: RedriveTask, wanted: int) -> str:
    left = wanted - task.moved
    if not left:
        return f"Requeued {counted(task.moved)}"
    if task.status == RedriveStatus.RUNNING:
        return f"Requeued {counted(task.moved)}, {left} to follow. {task.reason}"
    why = "; ".join(reason for reason, _ in staying(task.skipped.items())) or "gone already"
    return f"Requeued {counted(task.moved)}, {left} stayed: {why}"


DEEDS: dict[str, tuple[Right, Deed]] = {
    "requeue": (Right.REQUEUE, _requeue),
    "discard": (Right.DISCARD, _discard),
    "compare": (Right.VIEW, _compare),
}
