"""Taking advice: one setting, as the page suggested it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from dlq_console.access import person, with_queue
from dlq_console.forms.advice import ApplyForm
from dlq_console.returning import after_post, back_to
from queues.errors import AdviceStale, QueueError
from queues.models import Queue
from queues.operations import advice
from queues.rights import Right


@require_POST
@with_queue(Right.MANAGE_QUEUES)
def apply(request: HttpRequest, queue: Queue) -> HttpResponse:
    form = ApplyForm(request.POST)
    try:
        if not form.is_valid():
            raise AdviceStale()
        taken = form.cleaned_data
        advice.apply(person(request), queue, taken["kind"], seen=taken["seen"], suggested=taken["suggested"])
        setting = advice.SETTINGS[taken["kind"]]
        messages.success(request, f"{setting} is {taken['suggested']:,} now. It holds for the next request.")
    except QueueError as error:
        messages.error(request, error.message)
    return after_post(back_to(request, reverse("console:queue", args=[queue.public_id])))
