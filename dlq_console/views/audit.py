"""Who did what, when and why, in all teams of the person."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dlq_console.access import teams_of
from dlq_console.audit_wording import described
from dlq_console.forms.audit import AuditForm
from dlq_console.paging import Page, page_of
from queues.errors import SearchTooSlow
from queues.models import AuditEntry, Team
from queues.operations import audit as trail
from queues.operations.search import in_time


@require_safe
@login_required
def audit(request: HttpRequest) -> HttpResponse:
    teams = teams_of(request)
    form = AuditForm(request.GET, teams=teams)
    page, too_slow = Page([]), False
    if form.is_valid():
        try:
            with in_time():
                page = page_of(request, _entries(teams, **form.cleaned_data), newest_first=True)
        except SearchTooSlow:
            too_slow = True
    context = {
        "form": form,
        "page": page,
        "entries": [described(entry) for entry in page.rows],
        "too_slow": too_slow,
        "several_teams": "team" in form.fields,
    }
    return render(request, "dlq_console/audit/audit.html", context)


def _entries(teams: QuerySet[Team], team: str = "", **wanted: Any) -> QuerySet[AuditEntry]:
    return trail.entries(teams.filter(name=team) if team else teams, **wanted)
