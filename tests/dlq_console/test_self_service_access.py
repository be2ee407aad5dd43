"""Who may open and send what: each address, for each character. What is not theirs does not exist."""

import pytest
from django.test import Client
from django.urls import reverse

from queues.models import ApiKey, AuditEntry, Membership, Queue, Team
from queues.operations import keys
from tests.factories import reloaded

pytestmark = pytest.mark.django_db

# Name of the address, and who may look at it and send to it; None where there is nothing to look at or send.
EVERYBODY, OPERATORS, OWNERS = {"viewer", "operator", "owner"}, {"operator", "owner"}, {"owner"}
ADDRESSES: dict[str, tuple[set[str] | None, set[str] | None]] = {
    "queue-new": (OPERATORS, OPERATORS),
    "queue-new-preview": (None, OPERATORS),
    "queue-connect": (EVERYBODY, None),
    "queue-settings": (EVERYBODY, OPERATORS),
    "queue-settings-preview": (None, OPERATORS),
    "queue-pause": (None, OPERATORS),
    "queue-resume": (None, OPERATORS),
    "queue-purge": (OWNERS, OWNERS),
    "queue-delete": (OWNERS, OWNERS),
    "teams": (EVERYBODY, None),
    "team": (EVERYBODY, None),
    "member-add": (None, OWNERS),
    "member-role": (None, OWNERS),
    "member-remove": (OWNERS, OWNERS),
    "team-keys": (OPERATORS, None),
    "key-new": (OPERATORS, OPERATORS),
    "key-revoke": (OPERATORS, OPERATORS),
}
OF_NOBODY = {"queue-new", "queue-new-preview", "teams"}  # they name no team
ANSWERED = {200, 303, 400}


@pytest.fixture
def key(team: Team) -> ApiKey:
    return keys.create_api_key(team, "worker", ["send"]).key


@pytest.fixture
def places(queue: Queue, team: Team, key: ApiKey, viewer: Client) -> dict[str, str]:
    member = Membership.objects.get(user__username="vera").pk
    named = {
        "queue": [queue.public_id],
        "team": [team.name],
        "member-add": [team.name],
        "member": [team.name, member],
        "key-new": [team.name],
        "key": [team.name, key.access_key_id],
    }

    def arguments(name: str) -> list[object]:
        kind = name if name in named else name.split("-")[0]
        return [] if name in OF_NOBODY else named[kind]

    return {name: reverse(f"console:{name}", args=arguments(name)) for name in ADDRESSES}


def test_every_address_is_here() -> None:
    from dlq_console.urls import queues, teams

    assert {pattern.name for pattern in [*queues.urlpatterns, *teams.urlpatterns]} == set(ADDRESSES)


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("who", ["viewer", "operator", "owner"])
def test_a_role_opens_and_sends_what_it_includes(
    name: str, who: str, places: dict[str, str], request: pytest.FixtureRequest
) -> None:
    client, (may_look, may_send) = request.getfixturevalue(who), ADDRESSES[name]
    for send, allowed in ((client.get, may_look), (client.post, may_send)):
        status = send(places[name]).status_code
        if allowed is None:
            assert status == 405
        elif who in allowed:
            assert status in ANSWERED
        else:
            assert status == 403


@pytest.mark.parametrize("who", ["viewer", "operator"])
def test_what_is_refused_changes_nothing(
    who: str, places: dict[str, str], queue: Queue, key: ApiKey, request: pytest.FixtureRequest
) -> None:
    client = request.getfixturevalue(who)
    for name, (_, may_send) in ADDRESSES.items():
        if may_send and who not in may_send:
            client.post(places[name], {"name": "orders", "reason": "x", "username": "vera", "role": "owner"})
    assert reloaded(queue).paused is False
    assert Membership.objects.get(user__username="vera").role == "viewer"
    assert ApiKey.objects.live().filter(pk=key.pk).exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("name", sorted(set(ADDRESSES) - OF_NOBODY))
def test_it_does_not_exist_for_strangers(name: str, places: dict[str, str], stranger: Client) -> None:
    may_look, may_send = ADDRESSES[name]
    if may_look:
        assert stranger.get(places[name]).status_code == 404
    if may_send:
        assert stranger.post(places[name], {"name": "orders", "reason": "x"}).status_code == 404


@pytest.mark.parametrize("name", ADDRESSES)
def test_it_asks_people_to_sign_in(name: str, places: dict[str, str], anybody: Client) -> None:
    may_look, _ = ADDRESSES[name]
    answer = anybody.get(places[name]) if may_look else anybody.post(places[name])
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/accounts/login/")


def test_every_form_needs_its_token(places: dict[str, str], owner: Client) -> None:
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = owner.cookies
    for name, (_, may_send) in ADDRESSES.items():
        if may_send:
            assert careful.post(places[name], {"name": "orders", "reason": "x"}).status_code == 403


def test_a_link_to_a_new_queue_is_for_those_who_may(viewer: Client, operator: Client, queue: Queue) -> None:
    assert "New queue" not in viewer.get("/console/").content.decode()
    assert "New queue" in operator.get("/console/").content.decode()
