"""Teams and who belongs to them. A team that has an owner keeps one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet

from queues import limits
from queues.errors import Conflict, Invalid, LastOwner
from queues.models import ApiKey, Membership, Queue, Role, Team, Topic


@dataclass(frozen=True, slots=True)
class Quota:
    used: int
    limit: int

    @property
    def is_used_up(self) -> bool:
        return self.used >= self.limit


@dataclass(frozen=True, slots=True)
class Quotas:
    queues: Quota
    topics: Quota
    api_keys: Quota


def create_team(name: str) -> Team:
    limits.verify_team_name(name)
    try:
        with transaction.atomic():
            return Team.objects.create(name=name)
    except IntegrityError:
        raise Conflict(f"There is a team named {name} already.", field="name") from None


def find_team(name: str) -> Team:
    limits.verify_team_name(name)
    team = Team.objects.filter(name=name).first()
    if team is None:
        raise Invalid(f"There is no team named {name}.", field="team")
    return team


def quotas(team: Team) -> Quotas:
    """What the team may have, and has."""
    return quotas_of([team])[team.pk]


def quotas_of(teams: Sequence[Team]) -> dict[int, Quotas]:
    """The same for several teams, by their keys: three statements, however many they are."""
    queues, topics = _counted(Queue.objects.live(), teams), _counted(Topic.objects.all(), teams)
    api_keys = _counted(ApiKey.objects.live(), teams)
    return {
        team.pk: Quotas(
            queues=Quota(queues.get(team.pk, 0), team.max_queues),
            topics=Quota(topics.get(team.pk, 0), team.max_topics),
            api_keys=Quota(api_keys.get(team.pk, 0), team.max_api_keys),
        )
        for team in teams
    }


def find_user(username: str) -> User:
    """Somebody who could sign in. Whoever is not here, or no longer, is the same to those who ask."""
    limits.verify_text("username", username)
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise Invalid("There is no such user.", field="username")
    return user


@transaction.atomic
def invite(team: Team, username: str, role: str) -> Membership:
    """Somebody new in the team. The role of a member is not changed in passing."""
    user = find_user(username)
    _hold(team)
    if Membership.objects.filter(team=team, user=user).exists():
        raise Conflict("They are a member of the team already.", field="username")
    return add_member(team, user, role)


@transaction.atomic
def add_member(team: Team, user: User, role: str = Role.VIEWER) -> Membership:
    """Someone who is a member already gets the new role."""
    _verify_role(role)
    _hold(team)
    membership = Membership.objects.filter(team=team, user=user).first()
    if membership is None:
        return Membership.objects.create(team=team, user=user, role=role)
    return _set_role(membership, role)


@transaction.atomic
def change_role(membership: Membership, role: str) -> Membership:
    _verify_role(role)
    return _set_role(_held(membership), role)


@transaction.atomic
def remove_member(membership: Membership) -> None:
    membership = _held(membership)
    _require_another_owner(membership)
    membership.delete()


def _counted(rows: QuerySet[Any], teams: Sequence[Team]) -> dict[int, int]:
    return dict(rows.filter(team__in=teams).values_list("team").annotate(Count("id")))


def _verify_role(role: str) -> None:
    if role not in Role.values:
        raise Invalid(f"Must be one of {', '.join(Role.values)}.", field="role")


def _hold(team: Team) -> None:
    # Two owners who demote each other at once would both find another owner left: the second waits here.
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def _held(membership: Membership) -> Membership:
    """As it is now that nobody else of the team can change it."""
    _hold(membership.team)
    found = Membership.objects.select_related("user").filter(pk=membership.pk).first()
    if found is None:
        raise Conflict("They are no longer a member of the team.")
    return found


def _set_role(membership: Membership, role: str) -> Membership:
    if role != Role.OWNER:
        _require_another_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    return membership


def _require_another_owner(membership: Membership) -> None:
    owners = Membership.objects.filter(team_id=membership.team_id, role=Role.OWNER)
    if membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists():
        raise LastOwner()
