"""Taking back a discard: messages return from the trash."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from dlq_console.access import person, with_queue
from dlq_console.returning import after_post, back_to
from queues.errors import QueueError
from queues.models import Action, Queue
from queues.operations import audit, trash
from queues.rights import Right


@require_POST
@with_queue(Right.DISCARD)
def restore(request: HttpRequest, queue: Queue) -> HttpResponse:
    """The messages that the address or the form names come back out of the trash."""
    back = back_to(request, reverse("console:browse", args=[queue.public_id]))
    wanted = [*request.GET.getlist("message_id"), *request.POST.getlist("message_id")]
    user = person(request)
    try:
        with audit.audited(user, Action.MESSAGE_RESTORED, queue=queue, ids=wanted) as detail:
            detail["count"] = trash.restore(queue, wanted, by=user.get_username())
    except QueueError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"Restored: {detail['count']}")
    return after_post(back)
