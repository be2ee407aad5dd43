"""One queue: how it is doing, its charts, and what its settings mean."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dlq_console import access, advice_words, charts, history_charts, plain_words
from dlq_console.snippets import snippets
from queues.models import AdviceStatus, Queue
from queues.operations import look, samples
from queues.operations.advice import advice
from queues.operations.overview import health

DEFAULT_SPAN = next(iter(charts.SPANS))


@require_safe
@access.with_queue()
def queue(request: HttpRequest, queue: Queue) -> HttpResponse:
    page = {
        **_charts(request, queue),
        "queue": queue,
        "tab": "queue",
        "health": health(queue),
        "counts": look.count(queue),
        "sources": look.source_queues(queue),
        "letters": queue if queue.is_dlq else queue.dlq,
        "sentences": plain_words.sentences(queue),
        **_advice(queue),
        "snippets": snippets(request, queue),
        "rights": {right.value for right in access.rights_in(request, queue.team)},
    }
    return render(request, "dlq_console/queue/queue.html", page)


@require_safe
@access.with_queue()
def chart(request: HttpRequest, queue: Queue) -> HttpResponse:
    return JsonResponse(charts.as_json(_charts(request, queue)["drawn"]))


def _charts(request: HttpRequest, queue: Queue) -> dict[str, Any]:
    """Those of the last hours, or of days if the address asks for history."""
    spans = {"spans": charts.SPANS, "past_spans": history_charts.SPANS}
    past = request.GET.get("history", "")
    if past in history_charts.SPANS:
        history = history_charts.history(queue, history_charts.SPANS[past])
        drawn = history_charts.drawn(queue, history)
        return {**spans, "drawn": drawn, "past": past, "history": history, "query": f"history={past}"}
    minutes = _span(request)
    drawn = charts.live(samples.history(queue, minutes))
    return {**spans, "drawn": drawn, "minutes": minutes, "query": f"minutes={minutes}"}


def _advice(queue: Queue) -> dict[str, Any]:
    found = [advice_words.worded(one) for one in advice(queue)]
    fine = [one for one in found if one.advice.found.status == AdviceStatus.OK]
    return {"advice": [one for one in found if one not in fine], "fine": fine}


def _span(request: HttpRequest) -> int:
    """One of the spans on offer; whatever else an address says means the shortest."""
    text = request.GET.get("minutes", "")
    minutes = int(text) if text.isascii() and text.isdigit() else DEFAULT_SPAN
    return minutes if minutes in charts.SPANS else DEFAULT_SPAN
