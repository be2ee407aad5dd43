"""A dead-letter queue: what its messages died of, then the messages. Looking counts as no delivery."""

from typing import Any

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dlq_console import masking, paging
from dlq_console.access import person, rights_in, with_queue
from dlq_console.returning import after_post, back_to
from queues import limits
from queues.errors import ErrorGroupNotFound, Invalid, SearchTooSlow
from queues.models import Action, Queue, State
from queues.operations import audit, error_groups, look, metrics, search
from queues.rights import Right

SPARK_WIDTH, SPARK_HEIGHT = 120, 24


@require_GET
@with_queue()
def groups(request: HttpRequest, dlq: Queue) -> HttpResponse:
    """The groups, the largest first, each with a few samples."""
    found = error_groups.groups(dlq)
    dead = error_groups.dead_count(dlq)
    context = {
        "queue": dlq,
        "groups": _shown(dlq, found),
        "dead": dead,
        "in_smaller_groups": max(0, dead - sum(group.count for group in found)),
        "sources": look.source_queues(dlq),
        "may": rights_in(request, dlq.team),
        "address": request.get_full_path(),
    }
    return render(request, "dlq_console/dead_letters/groups.html", context)


@require_GET
@with_queue()
def messages(request: HttpRequest, dlq: Queue) -> HttpResponse:
    """The dead letters that match, each with its requeue; what is ticked goes together."""
    context = _found(request, dlq, dead_only=True)
    context |= {
        "matching": _number_matching(dlq, context["search"], context["page"]),
        "can_tick": bool(context["may"] & {Right.REQUEUE, Right.DISCARD}),
    }
    return render(request, "dlq_console/dead_letters/messages.html", context)


@require_GET
@with_queue()
def browse(request: HttpRequest, queue: Queue) -> HttpResponse:
    """The messages of any queue, whatever their state. There is nothing to do here but look."""
    context = _found(request, queue, dead_only=False)
    return render(request, "dlq_console/messages/browse.html", context)


@require_POST
@with_queue(Right.NOTE)
def note(request: HttpRequest, dlq: Queue) -> HttpResponse:
    """What people should know of a group."""
    fingerprint, text = request.POST.get("fingerprint", ""), request.POST.get("note", "")
    user = person(request)
    try:
        with audit.audited(user, Action.GROUP_NOTED, queue=dlq, subject=fingerprint, note=text[:200]):
            error_groups.set_note(dlq, fingerprint, text, user.get_username())
    except ErrorGroupNotFound as error:
        raise Http404(error.message) from None
    except Invalid as error:
        notices.error(request, f"The note was not saved. {error.message}")
    else:
        notices.success(request, "The note is saved." if text.strip() else "The note is gone.")
    return after_post(back_to(request, reverse("console:dlq", args=[dlq.public_id])))


def _shown(dlq: Queue, groups: list[error_groups.Group]) -> list[dict[str, Any]]:
    """Each group with what there is to see of it; three statements, however many there are."""
    prints = [group.fingerprint for group in groups]
    lines, samples = error_groups.sparklines(dlq, prints), error_groups.samples(dlq, prints)
    trends = metrics.error_trends(dlq, prints)
    return [
        {
            "group": group,
            "search": search.for_group(group.fingerprint),
            "spark": _points(lines[group.fingerprint]),
            "arrived": sum(lines[group.fingerprint]),
            "trend": trends.get(group.fingerprint),
            "samples": [(sample, masking.preview(sample.beginning)) for sample in samples[group.fingerprint]],
        }
        for group in groups
    ]


def _found(request: HttpRequest, queue: Queue, *, dead_only: bool) -> dict[str, Any]:
    parsed = search.parse(request.GET.get("q", ""))
    state = request.GET.get("state") or None
    if state not in look.VISIBLE_STATES:
        state = None
    page, too_slow = paging.Page([]), False
    try:
        found = search.find(
            queue,
            parsed,
            state=state,
            dead_only=dead_only,
            after=request.GET.get(paging.AFTER),
            before=request.GET.get(paging.BEFORE),
            in_brief=True,
        )
        page = paging.Page(
            found.rows,
            paging.link(request, after=found.next) if found.next else None,
            paging.link(request, before=found.previous) if found.previous else None,
        )
    except SearchTooSlow:
        too_slow = True
    return {
        "queue": queue,
        "search": parsed,
        "state": state or "",
        "states": look.VISIBLE_STATES,
        "page": page,
        "rows": _rows(queue, page.rows),
        "too_slow": too_slow,
        "may": rights_in(request, queue.team),
        "address": request.get_full_path(),
    }


def _rows(queue: Queue, messages: list[Any]) -> list[dict[str, Any]]:
    """Each with the names of its source and of its state."""
    wanted = {message.source_queue_id for message in messages} - {None}
    names = dict(Queue.objects.filter(team_id=queue.team_id, pk__in=wanted).values_list("pk", "name"))
    return [
        {
            "message": message,
            "preview": masking.preview(message.beginning),
            "source": names.get(message.source_queue_id, ""),
            "state": State(look.state_of(message)).label,
        }
        for message in messages
    ]


def _number_matching(dlq: Queue, wanted: search.Search, page: paging.Page) -> str:
    """How many letters the filter finds on all pages together, where that can be told in a moment."""
    if not page.next and not page.previous:
        return f"{len(page.rows):,}"
    if not wanted.filter:
        return f"{error_groups.dead_count(dlq):,}"
    number = search.count(dlq, wanted, dead_only=True)
    if number is None:
        return ""
    return f"{number:,}" if number < limits.EXACT_COUNT_OF_MANY else f"{number:,} or more"


def _points(counts: list[int]) -> str:
    """The line of a sparkline, as the points of an SVG polyline."""
    highest, step = max([*counts, 1]), SPARK_WIDTH / max(1, len(counts) - 1)
    return " ".join(
        f"{place * step:.1f},{SPARK_HEIGHT - 1 - count / highest * (SPARK_HEIGHT - 2):.1f}"
        for place, count in enumerate(counts)
    )
