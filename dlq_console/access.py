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


def rights_in(request: HttpRequest, team: Team) -> set[Right]:
    role = Membership.objects.filter(user=person(request), team=team).values_list("role", flat=True).first()
    return rights.of_role(role) if role else set()


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

    def decorate(view: View) -> View:
        @wraps(view)
        @login_required
        def wrapped(request: HttpRequest, queue_id: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            return view(request, find_queue(request, queue_id, right), *args, **kwargs)

        return wrapped

    return decorate
