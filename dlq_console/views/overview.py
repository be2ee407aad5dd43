"""Every queue of somebody's teams, those in trouble first."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dlq_console import access
from queues.operations.overview import QueueHealth
from queues.operations.overview import overview as health_of
from queues.rights import Right

MOST_ROWS = 200


@login_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    healths = health_of(access.queues_of(request))
    name = request.GET.get("name", "").strip()
    with_dlqs = "dlqs" in request.GET
    shown = [health for health in _listed(healths, with_dlqs) if name.lower() in health.queue.name.lower()]
    roles = access.roles_of(request)
    page = {
        "healths": shown[:MOST_ROWS],
        "more": max(0, len(shown) - MOST_ROWS),
        "totals": _totals(healths),
        "name": name,
        "with_dlqs": with_dlqs,
        "has_teams": bool(roles),
        "several_teams": len(roles) > 1,
        "may_create": access.may_somewhere(request, Right.MANAGE_QUEUES),
    }
    return render(request, "dlq_console/overview/overview.html", page)


def _listed(healths: list[QueueHealth], with_dlqs: bool) -> list[QueueHealth]:
    """A dead-letter queue is shown with its sources; alone only when asked for, or when it has none left."""
    with_sources = {health.queue.dlq_id for health in healths}
    return [
        health
        for health in healths
        if with_dlqs or not health.queue.is_dlq or health.queue.pk not in with_sources
    ]


def _totals(healths: list[QueueHealth]) -> dict[str, int]:
    listed = _listed(healths, with_dlqs=False)
    return {
        "queues": len(listed),
        "troubled": sum(1 for health in listed if health.problems),
        "held": sum(health.depth for health in healths if not health.queue.is_dlq),
        "in_flight": sum(health.in_flight for health in healths),
        "dead": sum(health.depth for health in healths if health.queue.is_dlq),
    }
