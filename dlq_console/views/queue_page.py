"""One queue: how it is doing, its charts, and what its settings mean."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dlq_console import access, charts, plain_words
from queues.models import Queue
from queues.operations import look, samples
from queues.operations.overview import health

DEFAULT_SPAN = next(iter(charts.SPANS))


@require_safe
@access.with_queue()
def queue(request: HttpRequest, queue: Queue) -> HttpResponse:
    minutes = _span(request)
    history = samples.history(queue, minutes)
    page = {
        "queue": queue,
        "tab": "queue",
        "health": health(queue),
        "counts": look.count(queue),
        "sources": look.source_queues(queue),
        "letters": queue if queue.is_dlq else queue.dlq,
        "sentences": plain_words.sentences(queue),
        "charts": charts.charts_of(history),
        "history": history,
        "spans": charts.SPANS,
        "minutes": minutes,
        "rights": {right.value for right in access.rights_in(request, queue.team)},
    }
    return render(request, "dlq_console/queue/queue.html", page)


@require_safe
@access.with_queue()
def chart(request: HttpRequest, queue: Queue) -> HttpResponse:
    return JsonResponse(charts.as_json(samples.history(queue, _span(request))))


def _span(request: HttpRequest) -> int:
    """One of the spans on offer; whatever else an address says means the shortest."""
    text = request.GET.get("minutes", "")
    minutes = int(text) if text.isascii() and text.isdigit() else DEFAULT_SPAN
    return minutes if minutes in charts.SPANS else DEFAULT_SPAN
