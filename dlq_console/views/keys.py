"""The API keys of a team: listed, issued with the secret shown once, revoked after a question."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from dlq_console.access import person, with_team
from dlq_console.forms.confirm import ReasonForm, posted
from dlq_console.forms.key import NewKeyForm
from dlq_console.paging import page_of
from dlq_console.returning import after_post
from queues.errors import QueueError
from queues.models import Action, ApiKey, Team
from queues.operations import audit, keys, self_service
from queues.operations.teams import quotas
from queues.rights import Right

SECRETS = ("secret_digest", "secret_encrypted")


@require_safe
@with_team(Right.MANAGE_KEYS)
def team_keys(request: HttpRequest, team: Team) -> HttpResponse:
    """Those that are not revoked, the newest first."""
    rows = ApiKey.objects.filter(team=team, revoked_at=None).defer(*SECRETS)
    context = {
        "team": team,
        "tab": "keys",
        "may_see_keys": True,
        "page": page_of(request, rows, newest_first=True),
        "quota": quotas(team).api_keys,
        "now": timezone.now(),
    }
    return render(request, "dlq_console/keys/keys.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@with_team(Right.MANAGE_KEYS)
def new_key(request: HttpRequest, team: Team) -> HttpResponse:
    """The secret is in the answer to the POST and nowhere else. Sent again, it finds the name taken."""
    form = NewKeyForm(posted(request), initial={"queue_pattern": request.GET.get("queue", "")})
    if form.is_valid():
        try:
            issued = self_service.issue_key(person(request), team, form.wish())
        except QueueError as problem:
            form.refuse(problem)
        else:
            return render(request, "dlq_console/keys/issued.html", {"team": team, "issued": issued})
    context = {"team": team, "form": form, "quota": quotas(team).api_keys}
    return render(request, "dlq_console/keys/new.html", context, status=400 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@with_team(Right.MANAGE_KEYS)
def revoke_key(request: HttpRequest, team: Team, access_key_id: str) -> HttpResponse:
    key, form = _find(team, access_key_id), ReasonForm(posted(request))
    if not form.is_valid():
        return render(request, "dlq_console/keys/revoke.html", {"team": team, "key": key, "form": form})
    reason = form.cleaned_data["reason"]
    with audit.audited(
        person(request), Action.KEY_REVOKED, team=team, subject=access_key_id, reason=reason, name=key.name
    ):
        keys.revoke_api_key(key)
    messages.success(request, f"The key {key.name} is revoked: its next request is refused.")
    return after_post(reverse("console:team-keys", args=[team.name]))


def _find(team: Team, access_key_id: str) -> ApiKey:
    rows = ApiKey.objects.filter(team=team, revoked_at=None).select_related("team").defer(*SECRETS)
    key = rows.filter(access_key_id=access_key_id).first()
    if key is None:
        raise Http404("There is no such key, or it is revoked already.")
    return key
