"""Two owners at once: each finds another owner left, unless one of them waits for the other."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from queues.errors import LastOwner
from queues.models import Membership, Role, Team
from queues.operations import teams
from tests.concurrency.together import at_once, uncommitted, waiting_for_a_lock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owners(team: Team) -> list[Membership]:
    return [teams.add_member(team, User.objects.create_user(name), Role.OWNER) for name in ("ada", "bob")]


def demote(membership: Membership) -> object:
    return teams.change_role(membership, Role.VIEWER)


def attempt(job: Callable[[Membership], object], membership: Membership) -> bool:
    """Whether it was allowed."""
    try:
        job(membership)
    except LastOwner:
        return False
    return True


@pytest.mark.parametrize("job", [demote, teams.remove_member])
def test_the_second_waits_and_is_refused(owners: list[Membership], job: Callable[..., object]) -> None:
    ada, bob = owners
    with uncommitted(lambda: job(ada)):
        second = waiting_for_a_lock(lambda: attempt(job, bob))
    assert second.result(10) is False
    assert Membership.objects.get(role=Role.OWNER) == bob


@pytest.mark.parametrize("round_", range(3))
def test_a_crowd_leaves_one_owner(team: Team, round_: int) -> None:
    crowd = [
        teams.add_member(team, User.objects.create_user(f"owner-{number}"), Role.OWNER) for number in range(6)
    ]
    jobs = [demote, teams.remove_member] * 3
    allowed = at_once(
        *(lambda job=job, one=one: attempt(job, one) for job, one in zip(jobs, crowd, strict=True))
    )
    assert allowed.count(False) == 1
    assert Membership.objects.filter(role=Role.OWNER).count() == 1
