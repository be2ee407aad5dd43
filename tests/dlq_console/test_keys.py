"""The API keys of a team, in the console."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from queues.models import ApiKey, AuditEntry, Queue, Team
from queues.operations import keys
from tests.dlq_console.form_filling import errors, submit
from tests.factories import new_team

pytestmark = pytest.mark.django_db

KEYS = "/console/teams/payments/keys/"
NEW = f"{KEYS}new/"


def make(client: Client, **typed: Any) -> Any:
    return submit(client, NEW, **{"key_name": "worker", "scopes": ["send"], **typed})


def issued(team: Team, name: str = "worker", **settings: Any) -> keys.IssuedKey:
    return keys.create_api_key(team, name, ["send", "receive"], **settings)


class TestTheList:
    def test_it_shows_what_each_may_and_when_it_was_used(self, operator: Client, team: Team) -> None:
        used = issued(team, queue_pattern="orders-*", expires_at=timezone.now() + timedelta(days=90))
        keys.authenticate(used.bearer)
        page = operator.get(KEYS).content.decode()
        for words in (
            "worker",
            used.access_key_id,
            "send, receive",
            "orders-*",
            "in 89 d",
            "1 of 100 live keys",
        ):
            assert words in page
        assert "never" not in page

    def test_it_shows_no_secret(self, operator: Client, team: Team) -> None:
        key = issued(team)
        page = operator.get(KEYS).content.decode()
        assert key.secret not in page
        assert key.key.secret_digest.hex() not in page

    def test_it_has_neither_revoked_keys_nor_those_of_others(self, operator: Client, team: Team) -> None:
        keys.revoke_api_key(issued(team, "old").key)
        issued(new_team(), "theirs")
        page = operator.get(KEYS).content.decode()
        assert "theirs" not in page
        assert "No keys yet" in page

    def test_an_expired_key_is_marked(self, operator: Client, team: Team) -> None:
        long_ago = timezone.now() - timedelta(days=2)
        issued(team, expires_at=long_ago + timedelta(days=1), now=long_ago)
        assert "expired" in operator.get(KEYS).content.decode()


class TestMaking:
    def test_the_secret_is_shown_once(self, operator: Client, team: Team) -> None:
        answer = make(operator, queue_pattern="orders-*", expires_after="90 days")
        new = answer.context["issued"]
        assert new.bearer in answer.content.decode()
        assert "no-store" in answer.headers["Cache-Control"]
        assert keys.authenticate(new.bearer) == ApiKey.objects.get(team=team, queue_pattern="orders-*")
        assert new.secret not in operator.get(KEYS).content.decode()
        assert new.secret not in str(list(AuditEntry.objects.values())) + str(dict(operator.session))

    def test_the_page_of_a_queue_leads_to_a_key_for_it(
        self, operator: Client, viewer: Client, queue: Queue
    ) -> None:
        connect = f"/console/queues/{queue.public_id}/connect/"
        assert f'href="{NEW}?queue=orders"' in operator.get(connect).content.decode()
        assert operator.get(f"{NEW}?queue=orders").context["form"]["queue_pattern"].value() == "orders"
        assert NEW not in viewer.get(connect).content.decode()

    def test_sent_again_it_makes_no_second_one(self, operator: Client) -> None:
        make(operator)
        assert errors(make(operator)) == {"key_name": ["The team has a live key named worker already."]}
        assert ApiKey.objects.count() == 1

    def test_it_is_audited(self, operator: Client) -> None:
        key = make(operator).context["issued"]
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.actor, entry.subject) == ("key.created", "oscar", "worker")
        assert entry.detail == {
            "scopes": ["send"],
            "queue_pattern": "",
            "access_key_id": key.access_key_id,
        }

    @pytest.mark.parametrize(
        ("typed", "found"),
        [
            (
                {"queue_pattern": "a b"},
                {"queue_pattern": ["Must be one queue name, with * ? and [] as wildcards."]},
            ),
            ({"scopes": []}, {"scopes": ["Must be one or more of send, receive, manage."]}),
            ({"key_name": " "}, {"key_name": ["This field is required."]}),
            ({"key_name": "x" * 81}, {"key_name": ["Must be at most 80 characters long."]}),
            ({"expires_after": "0"}, {"expires_after": ["Must be in the future."]}),
            ({"expires_after": "9" * 12}, {"expires_after": ["That is later than any date."]}),
        ],
    )
    def test_what_is_wrong_is_said_beside_its_field(
        self, operator: Client, typed: dict[str, Any], found: dict[str, list[str]]
    ) -> None:
        assert errors(make(operator, **typed)) == found
        assert not ApiKey.objects.exists()
        assert not AuditEntry.objects.exists()

    def test_a_quota_that_is_used_up_is_said(self, operator: Client, team: Team) -> None:
        Team.objects.update(max_api_keys=0)
        assert "revoke one first" in operator.get(NEW).content.decode()
        assert "revoke one first" in errors(make(operator))["__all__"][0]


class TestRevoking:
    def test_it_asks_first(self, operator: Client, team: Team) -> None:
        key = issued(team)
        page = operator.get(f"{KEYS}{key.access_key_id}/revoke/").content.decode()
        assert "Revoke worker?" in page
        assert "It has never been used." in page
        assert keys.authenticate(key.bearer)

    def test_it_holds_for_the_next_request(self, operator: Client, team: Team) -> None:
        key = issued(team)
        address = f"{KEYS}{key.access_key_id}/revoke/"
        answer = operator.post(address, {"reason": "leaked"}, follow=True)
        assert "The key worker is revoked" in answer.content.decode()
        assert keys.authenticate(key.bearer) is None
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.subject, entry.reason) == ("key.revoked", key.access_key_id, "leaked")
        assert entry.detail == {"name": "worker"}
        assert operator.post(address, {"reason": ""}).status_code == 404

    def test_another_teams_key_does_not_exist(self, operator: Client) -> None:
        key = issued(new_team())
        assert operator.post(f"{KEYS}{key.access_key_id}/revoke/", {"reason": ""}).status_code == 404
        assert keys.authenticate(key.bearer)


def test_hostile_names_are_shown_as_text(operator: Client, team: Team) -> None:
    key = issued(team, "<script>alert(1)</script>\u202e")
    for address in (KEYS, f"{KEYS}{key.access_key_id}/revoke/"):
        page = operator.get(address).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧" in page
