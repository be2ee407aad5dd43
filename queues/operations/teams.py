"""Teams and who belongs to them."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from queues import limits
from queues.errors import Conflict, Invalid
from queues.models import Membership, Role, Team


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


def add_member(team: Team, user: User, role: str = Role.VIEWER) -> Membership:
    """Someone who is a member already gets the new role."""
    if role not in Role.values:
        raise Invalid(f"Must be one of {', '.join(Role.values)}.", field="role")
    membership, _ = Membership.objects.update_or_create(team=team, user=user, defaults={"role": role})
    return membership
