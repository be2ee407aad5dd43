"""Who asks, and what is there for them. What belongs to other teams does not exist: 404, not 403."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase

from queues import ids, rights
from queues.errors import MessageNotFound
from queues.models import Membership, Message, Queue, Team
from queues.operations import look
from queues.rights import Right

View = Callable[..., HttpResponseBase]


def person(request: HttpRequest) -> User:
    """Who is signed in; the views of the console are for such people only."""
    return cast(User, request.user)


def teams_of(request: HttpRequest) -> QuerySet[Team]:
    return Team.objects.filter(memberships__user=person(request)).order_by("name")


def queues_of(request: HttpRequest) -> QuerySet[Queue]:
    """Every live queue of every team of theirs."""
    return Queue.objects.live().filter(team__in=teams_of(request)).select_related("team")


def roles_of(request: HttpRequest) -> dict[int, str]:
    """Their role in each of their teams, by the team's key. Read once for a request."""
    if not hasattr(request, "console_roles"):
        rows = Membership.objects.filter(user=person(request)).values_list("team_id", "role")
        request.console_roles = dict(rows)  # type: ignore[attr-defined]
    return cast(dict[int, str], request.console_roles)  # type: ignore[attr-defined]


def rights_in(request: HttpRequest, team: Team) -> set[Right]:
    return rights.of_role(roles_of(request).get(team.pk, ""))


def teams_with(request: HttpRequest, right: Right) -> list[Team]:
    """Those of their teams in which they may do this."""
    roles = roles_of(request)
    return [team for team in teams_of(request) if right in rights.of_role(roles.get(team.pk, ""))]


def may_somewhere(request: HttpRequest, right: Right) -> bool:
    return any(right in rights.of_role(role) for role in roles_of(request).values())


def find_team(request: HttpRequest, name: str, right: Right = Right.VIEW) -> Team:
    team = teams_of(request).filter(name=name).first()
    if team is None:
        raise Http404("There is no such team.")
    require(request, team, right)
    return team


def find_queue(request: HttpRequest, queue_id: str, right: Right = Right.VIEW) -> Queue:
    uid = ids.decode("q", queue_id)
    queue = queues_of(request).select_related("team", "dlq").filter(uid=uid).first() if uid else None
    if queue is None:
        raise Http404("There is no such queue.")
    require(request, queue.team, right)
    return queue


def find_message(queue: Queue, message_id: str) -> Message:
    try:
        return look.find_message(queue, message_id)
    except MessageNotFound as error:
        raise Http404(error.message) from None


def require(request: HttpRequest, team: Team, right: Right) -> None:
    if right not in rights_in(request, team):
        raise PermissionDenied(f"Your role in the team {team.name} does not include: {right.value}.")


def with_queue(right: Right = Right.VIEW) -> Callable[[View], View]:
    """For views whose address names a queue: they get the queue itself, if they may do this with it."""
    return _with("queue_id", find_queue, right)


def with_team(right: Right = Right.VIEW) -> Callable[[View], View]:
    """For views whose address names a team: they get the team itself, if they may do this in it."""
    return _with("team_name", find_team, right)


def _with(named: str, find: Callable[[HttpRequest, str, Right], Any], right: Right) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        @login_required
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            found = find(request, kwargs.pop(named), right)
            return view(request, found, *args, **kwargs)

        return wrapped

    return decorate
