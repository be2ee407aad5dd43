import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User

from queues.errors import Conflict, Invalid, LastOwner
from queues.models import Membership, Role, Team
from queues.operations import keys, queues
from queues.operations.teams import (
    add_member,
    change_role,
    create_team,
    find_team,
    invite,
    quotas,
    remove_member,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return create_team("payments")


def member(team: Team, name: str, role: str) -> Membership:
    return add_member(team, User.objects.create_user(name), role)


def roles(team: Team) -> dict[str, str]:
    return dict(team.memberships.values_list("user__username", "role"))


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


class TestInvite:
    def test_it_adds_somebody_by_name(self, team: Team) -> None:
        User.objects.create_user("ada")
        invite(team, "ada", Role.OPERATOR)
        assert roles(team) == {"ada": "operator"}

    @pytest.mark.parametrize("name", ["nobody", "", "ADA", "gone"])
    def test_it_knows_only_those_who_can_sign_in(self, team: Team, name: str) -> None:
        User.objects.create_user("ada")
        User.objects.create_user("gone", is_active=False)
        with pytest.raises(Invalid, match="There is no such user") as caught:
            invite(team, name, Role.VIEWER)
        assert caught.value.field == "username"

    def test_it_refuses_a_name_that_cannot_be_one(self, team: Team) -> None:
        with pytest.raises(Invalid):
            invite(team, "nul\x00", Role.VIEWER)

    def test_it_does_not_change_the_role_of_a_member_in_passing(self, team: Team) -> None:
        member(team, "ada", Role.OWNER)
        with pytest.raises(Conflict, match="already"):
            invite(team, "ada", Role.VIEWER)
        assert roles(team) == {"ada": "owner"}


class TestTheLastOwner:
    @pytest.fixture
    def ada(self, team: Team) -> Membership:
        return member(team, "ada", Role.OWNER)

    def test_they_cannot_be_demoted(self, team: Team, ada: Membership) -> None:
        for demote in (change_role, lambda who, role: add_member(team, who.user, role)):
            with pytest.raises(LastOwner):
                demote(ada, Role.OPERATOR)
        assert roles(team) == {"ada": "owner"}

    def test_they_cannot_be_removed(self, team: Team, ada: Membership) -> None:
        member(team, "bob", Role.OPERATOR)
        with pytest.raises(LastOwner):
            remove_member(ada)
        assert set(roles(team)) == {"ada", "bob"}

    def test_they_can_stay_one(self, team: Team, ada: Membership) -> None:
        assert change_role(ada, Role.OWNER).role == Role.OWNER

    def test_an_owner_of_another_team_does_not_count(self, team: Team, ada: Membership) -> None:
        member(create_team("shipping"), "bob", Role.OWNER)
        with pytest.raises(LastOwner):
            remove_member(ada)

    def test_with_another_owner_they_can_go(self, team: Team, ada: Membership) -> None:
        member(team, "bob", Role.OWNER)
        change_role(ada, Role.VIEWER)
        remove_member(ada)
        assert roles(team) == {"bob": "owner"}


class TestThoseWhoAreGone:
    @pytest.fixture
    def gone(self, team: Team) -> Membership:
        bob = member(team, "bob", Role.VIEWER)
        remove_member(bob)
        return bob

    def test_a_new_role_does_not_bring_them_back(self, team: Team, gone: Membership) -> None:
        with pytest.raises(Conflict, match="no longer"):
            change_role(gone, Role.OWNER)
        assert roles(team) == {}

    def test_they_are_removed_once(self, gone: Membership) -> None:
        with pytest.raises(Conflict, match="no longer"):
            remove_member(gone)


def test_it_counts_what_the_quotas_are_about(team: Team) -> None:
    queues.create(team, name="orders")
    queues.delete(queues.create(team, name="gone")[0])
    keys.create_api_key(team, "worker", ["send"])
    found = quotas(team)
    assert (found.queues.used, found.queues.limit) == (1, team.max_queues)
    assert (found.api_keys.used, found.api_keys.limit) == (1, team.max_api_keys)
    assert not found.queues.is_used_up
