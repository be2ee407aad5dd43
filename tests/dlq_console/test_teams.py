"""Teams: who belongs to them, managed by their owners."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from queues.models import AuditEntry, Membership, Role, Team
from tests.dlq_console.conftest import browser_of, new_person
from tests.dlq_console.form_filling import errors
from tests.factories import new_queue, new_team

pytestmark = pytest.mark.django_db

TEAM = "/console/teams/payments/"


def roles(team: Team) -> dict[str, str]:
    return dict(team.memberships.values_list("user__username", "role"))


def audit() -> list[tuple[str, str, str, dict[str, str]]]:
    rows = AuditEntry.objects.order_by("id")
    return [(entry.action, entry.actor, entry.subject, entry.detail) for entry in rows]


def member(team: Team, name: str, role: Role = Role.VIEWER) -> Membership:
    return Membership.objects.get(user=new_person(name, team, role))


def place_of(membership: Membership) -> str:
    return f"{TEAM}members/{membership.pk}/"


class TestTheList:
    def test_it_has_ones_own_teams_with_role_and_quotas(self, operator: Client, team: Team) -> None:
        new_team("strangers")
        new_queue(team)
        page = operator.get("/console/teams/").content.decode()
        assert f'href="{TEAM}"' in page
        assert "Operator" in page
        assert "1 of 1,000" in page
        assert "strangers" not in page

    def test_it_needs_no_more_statements_for_more_teams(self, team: Team) -> None:
        user = new_person("many", team)
        client = browser_of(user)
        needed = []
        for _ in range(2):
            with CaptureQueriesContext(connection) as statements:
                client.get("/console/teams/")
            needed.append(len(statements))
            for _ in range(10):
                Membership.objects.create(user=user, team=new_team())
        assert needed[0] == needed[1]

    def test_those_without_a_team_are_told_whom_to_ask(self, db: None) -> None:
        page = browser_of(new_person("nobody")).get("/console/teams/").content.decode()
        assert "You are not a member of any team" in page

    def test_the_header_leads_there(self, viewer: Client) -> None:
        assert 'href="/console/teams/"' in viewer.get("/console/").content.decode()


class TestTheTeam:
    def test_it_shows_members_and_quotas(self, viewer: Client, team: Team) -> None:
        member(team, "ada", Role.OWNER)
        page = viewer.get(TEAM).content.decode()
        for words in ("ada", "Owner", "vera", "of 1,000", "of 100"):
            assert words in page

    @pytest.mark.parametrize("person", ["viewer", "operator"])
    def test_only_owners_are_offered_to_manage(self, person: str, request: pytest.FixtureRequest) -> None:
        page = request.getfixturevalue(person).get(TEAM).content.decode()
        for words in ("Add somebody", "Remove", "Save"):
            assert words not in page

    def test_only_those_who_manage_keys_are_led_to_them(self, viewer: Client, operator: Client) -> None:
        assert f"{TEAM}keys/" not in viewer.get(TEAM).content.decode()
        assert f"{TEAM}keys/" in operator.get(TEAM).content.decode()


class TestAdding:
    def test_it_adds_somebody_by_name(self, owner: Client, team: Team) -> None:
        new_person("ada")
        answer = owner.post(f"{TEAM}members/", {"username": "ada", "role": "operator"}, follow=True)
        assert "ada is a member of payments now." in answer.content.decode()
        assert roles(team) == {"olga": "owner", "ada": "operator"}
        assert audit() == [("member.added", "olga", "ada", {"role": "operator"})]

    def test_somebody_without_an_account_has_to_get_one_first(self, owner: Client) -> None:
        assert "an administrator of this installation creates those" in owner.get(TEAM).content.decode()

    @pytest.mark.parametrize("name", ["nobody", "gone", "SAM"])
    def test_whoever_cannot_be_added_is_no_such_user(
        self, owner: Client, stranger: Client, team: Team, name: str
    ) -> None:
        User.objects.create_user("gone", is_active=False)
        answer = owner.post(f"{TEAM}members/", {"username": name, "role": "viewer"})
        assert errors(answer) == {"username": ["There is no such user."]}
        assert audit() == []

    def test_the_page_names_nobody_outside_the_team(self, owner: Client, stranger: Client) -> None:
        assert "sam" not in owner.get(TEAM).content.decode().lower().replace("same", "")

    def test_a_member_keeps_their_role(self, owner: Client, team: Team) -> None:
        answer = owner.post(f"{TEAM}members/", {"username": "olga", "role": "viewer"})
        assert errors(answer) == {"username": ["They are a member of the team already."]}
        assert roles(team) == {"olga": "owner"}

    @pytest.mark.parametrize("typed", [{}, {"username": "ada", "role": "king"}, {"username": "a\x00"}])
    def test_what_makes_no_sense_is_refused(self, owner: Client, team: Team, typed: dict[str, str]) -> None:
        new_person("ada")
        assert errors(owner.post(f"{TEAM}members/", typed))
        assert set(roles(team)) == {"olga"}


class TestChangingRoles:
    def test_an_owner_gives_another_role(self, owner: Client, team: Team) -> None:
        ada = member(team, "ada")
        owner.post(f"{place_of(ada)}role/", {"role": "operator"})
        assert roles(team)["ada"] == "operator"
        assert audit() == [("member.changed", "olga", "ada", {"before": "viewer", "after": "operator"})]

    def test_it_holds_for_the_next_request(self, owner: Client, team: Team) -> None:
        ada = member(team, "ada", Role.OWNER)
        client = browser_of(ada.user)
        assert "Add somebody" in client.get(TEAM).content.decode()
        owner.post(f"{place_of(ada)}role/", {"role": "viewer"})
        assert "Add somebody" not in client.get(TEAM).content.decode()

    def test_the_last_owner_stays_one(self, owner: Client, team: Team) -> None:
        olga = team.memberships.get()
        answer = owner.post(f"{place_of(olga)}role/", {"role": "viewer"}, follow=True)
        assert "A team needs an owner: make somebody else one first." in answer.content.decode()
        assert roles(team) == {"olga": "owner"}
        assert audit() == []

    @pytest.mark.parametrize("role", ["", "king", "owner\x00"])
    def test_an_unknown_role_is_refused(self, owner: Client, team: Team, role: str) -> None:
        ada = member(team, "ada")
        answer = owner.post(f"{place_of(ada)}role/", {"role": role}, follow=True)
        assert "Must be one of viewer, operator, owner." in answer.content.decode()
        assert roles(team)["ada"] == "viewer"


class TestRemoving:
    def test_it_asks_first(self, owner: Client, team: Team) -> None:
        ada = member(team, "ada")
        assert "Remove ada from payments?" in owner.get(f"{place_of(ada)}remove/").content.decode()
        assert "ada" in roles(team)

    def test_it_removes_them(self, owner: Client, team: Team) -> None:
        ada = member(team, "ada")
        answer = owner.post(f"{place_of(ada)}remove/", {"reason": "moved on"}, follow=True)
        assert "ada is no longer a member of payments." in answer.content.decode()
        assert set(roles(team)) == {"olga"}
        assert browser_of(ada.user).get(TEAM).status_code == 404
        assert audit() == [("member.removed", "olga", "ada", {})]
        assert AuditEntry.objects.get().reason == "moved on"

    def test_the_last_owner_cannot_leave(self, owner: Client, team: Team) -> None:
        answer = owner.post(f"{place_of(team.memberships.get())}remove/", {"reason": ""}, follow=True)
        assert "A team needs an owner" in answer.content.decode()
        assert set(roles(team)) == {"olga"}
        assert audit() == []

    def test_an_owner_can_leave_a_team_that_has_another(self, owner: Client, team: Team) -> None:
        member(team, "ada", Role.OWNER)
        olga = team.memberships.get(user__username="olga")
        assert "Leave payments?" in owner.get(f"{place_of(olga)}remove/").content.decode()
        answer = owner.post(f"{place_of(olga)}remove/", {"reason": ""}, follow=True)
        assert answer.redirect_chain == [("/console/teams/", 303)]

    def test_a_member_of_another_team_does_not_exist(self, owner: Client, stranger: Client) -> None:
        sam = Membership.objects.get(user__username="sam")
        for deed in ("remove", "role"):
            assert owner.post(f"{place_of(sam)}{deed}/", {"role": "viewer"}).status_code == 404
        assert Membership.objects.filter(pk=sam.pk, role=Role.OWNER).exists()


def test_hostile_names_are_shown_as_text(owner: Client, team: Team) -> None:
    hostile = "<script>alert(1)</script>\u202e"
    ada = member(team, "ada")
    User.objects.filter(pk=ada.user_id).update(username=hostile)
    Team.objects.update(name="payments")
    for address in (TEAM, f"{place_of(ada)}remove/"):
        page = owner.get(address).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧" in page
