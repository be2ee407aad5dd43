import pytest
from django.contrib.auth import get_user_model

from queues.errors import Conflict, Invalid
from queues.models import Membership, Role
from queues.operations.teams import add_member, create_team, find_team

pytestmark = pytest.mark.django_db


def test_it_creates_a_team() -> None:
    assert find_team(create_team("payments").name).name == "payments"


def test_it_refuses_a_second_team_of_the_same_name() -> None:
    create_team("payments")
    with pytest.raises(Conflict, match="payments"):
        create_team("payments")


def test_it_goes_on_in_the_same_transaction_after_a_conflict() -> None:
    create_team("payments")
    with pytest.raises(Conflict):
        create_team("payments")
    assert create_team("shipping").pk


@pytest.mark.parametrize("name", ["", "-x", "two words", "a" * 81, "nul\x00", "é", "line\n"])
def test_it_refuses_a_name_that_is_none(name: str) -> None:
    with pytest.raises(Invalid):
        create_team(name)


@pytest.mark.parametrize("name", ["nobody", "nul\x00"])
def test_it_does_not_find_a_team_that_is_not_there(name: str) -> None:
    with pytest.raises(Invalid):
        find_team(name)


def test_it_adds_a_member() -> None:
    team, user = create_team("payments"), get_user_model().objects.create_user("ada")
    assert add_member(team, user, Role.OWNER).role == Role.OWNER


def test_it_gives_a_member_the_new_role() -> None:
    team, user = create_team("payments"), get_user_model().objects.create_user("ada")
    add_member(team, user, Role.VIEWER)
    add_member(team, user, Role.OPERATOR)
    assert [membership.role for membership in Membership.objects.all()] == [Role.OPERATOR]


def test_it_refuses_an_unknown_role() -> None:
    team, user = create_team("payments"), get_user_model().objects.create_user("ada")
    with pytest.raises(Invalid, match="viewer, operator, owner"):
        add_member(team, user, "king")
