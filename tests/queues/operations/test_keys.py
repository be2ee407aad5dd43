from datetime import UTC, datetime, timedelta
from unittest import mock

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from queues import secrets
from queues.errors import Conflict, Invalid, QuotaExceeded
from queues.models import ApiKey, Team
from queues.operations.keys import (
    IssuedKey,
    allows,
    authenticate,
    create_api_key,
    reencrypt_all,
    reveal_secret,
    revoke_api_key,
)

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def team() -> Team:
    return Team.objects.create(name="payments")


@pytest.fixture
def issued(team: Team) -> IssuedKey:
    return create_api_key(team, "worker", ["send", "receive"], now=NOW)


def values(row: ApiKey | Team) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


# --- create


def test_it_keeps_no_secret_in_the_clear(issued: IssuedKey) -> None:
    key = ApiKey.objects.get()
    assert issued.secret.encode() not in bytes(key.secret_encrypted) + bytes(key.secret_digest)


def test_it_does_not_show_the_secret_in_a_traceback(issued: IssuedKey) -> None:
    assert issued.secret not in repr(issued)


def test_it_keeps_scopes_once_and_in_order(team: Team) -> None:
    issued = create_api_key(team, "worker", ["receive", "send", "receive"])
    assert ApiKey.objects.get(pk=issued.key.pk).scopes == ["send", "receive"]


@pytest.mark.parametrize("scopes", [[], ["fly"], ["send", ""]])
def test_it_refuses_unknown_scopes(team: Team, scopes: list[str]) -> None:
    with pytest.raises(Invalid, match="send, receive, manage"):
        create_api_key(team, "worker", scopes)


@pytest.mark.parametrize("name", ["", "  ", "a" * 81, "nul\x00", "half\ud800"])
def test_it_refuses_a_name_that_is_none(team: Team, name: str) -> None:
    with pytest.raises(Invalid) as refusal:
        create_api_key(team, name, ["send"])
    assert refusal.value.field == "name"


@pytest.mark.parametrize("pattern", ["a" * 201, "nul\x00", "orders-*, refunds-*", "a/b", "é"])
def test_it_refuses_a_pattern_that_could_match_no_queue(team: Team, pattern: str) -> None:
    with pytest.raises(Invalid) as refusal:
        create_api_key(team, "worker", ["send"], queue_pattern=pattern)
    assert refusal.value.field == "queue_pattern"


NAIVE = NOW.replace(year=2027, tzinfo=None)


@pytest.mark.parametrize("expires_at", [NOW, NOW - SECOND, NAIVE])
def test_it_refuses_an_expiry_that_is_not_in_the_future(team: Team, expires_at: datetime) -> None:
    with pytest.raises(Invalid) as refusal:
        create_api_key(team, "worker", ["send"], expires_at=expires_at, now=NOW)
    assert refusal.value.field == "expires_at"


def test_it_refuses_a_second_live_key_of_the_same_name(team: Team, issued: IssuedKey) -> None:
    with pytest.raises(Conflict, match="worker"):
        create_api_key(team, "worker", ["send"], now=NOW)


def test_it_lets_another_team_use_the_name(issued: IssuedKey) -> None:
    assert create_api_key(Team.objects.create(name="other"), "worker", ["send"], now=NOW)


def test_it_gives_the_name_of_a_revoked_key_to_a_new_one(team: Team, issued: IssuedKey) -> None:
    revoke_api_key(issued.key, now=NOW)
    assert authenticate(create_api_key(team, "worker", ["send"], now=NOW).bearer, now=NOW)


def test_it_gives_the_name_of_an_expired_key_to_a_new_one(team: Team) -> None:
    old = create_api_key(team, "nightly", ["send"], expires_at=NOW + DAY, now=NOW)
    new = create_api_key(team, "nightly", ["send"], expires_at=NOW + 3 * DAY, now=NOW + DAY)
    assert authenticate(new.bearer, now=NOW + DAY)
    assert authenticate(old.bearer, now=NOW + DAY) is None


def test_it_refuses_more_live_keys_than_the_team_may_have(team: Team, issued: IssuedKey) -> None:
    Team.objects.update(max_api_keys=1)
    with pytest.raises(QuotaExceeded, match="1 live API key"):
        create_api_key(team, "second", ["send"], now=NOW)


def test_it_counts_neither_revoked_nor_expired_keys(team: Team) -> None:
    Team.objects.update(max_api_keys=1)
    create_api_key(team, "expired", ["send"], expires_at=NOW + DAY, now=NOW)
    revoke_api_key(create_api_key(team, "revoked", ["send"], now=NOW + DAY).key, now=NOW + DAY)
    assert create_api_key(team, "live", ["send"], now=NOW + DAY)


# --- authenticate


def test_it_knows_the_key_and_its_team(
    issued: IssuedKey, team: Team, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    authenticate(issued.bearer, now=NOW)
    with django_assert_num_queries(1):
        key = authenticate(issued.bearer, now=NOW)
        assert key is not None
        assert key == issued.key
        assert key.team == team
        assert key.team.name == "payments"


def test_it_loads_the_key_as_it_is_stored(issued: IssuedKey) -> None:
    authenticate(issued.bearer, now=NOW)
    key, stored = authenticate(issued.bearer, now=NOW), ApiKey.objects.get()
    assert key is not None
    assert values(key) == values(stored)
    assert values(key.team) == values(stored.team)


@pytest.mark.parametrize("token", ["", "smq_x_y", "é", "\x00", "smq_" + "A" * 10_000])
def test_it_refuses_what_is_no_token_without_asking_the_database(
    token: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert authenticate(token, now=NOW) is None


def test_it_refuses_a_wrong_secret(issued: IssuedKey) -> None:
    wrong = secrets.Credentials(issued.access_key_id, secrets.new_credentials().secret)
    assert authenticate(secrets.write_bearer(wrong), now=NOW) is None


def test_it_refuses_the_secret_of_another_key(team: Team, issued: IssuedKey) -> None:
    other = create_api_key(team, "other", ["send"], now=NOW)
    mixed = secrets.Credentials(issued.access_key_id, other.secret)
    assert authenticate(secrets.write_bearer(mixed), now=NOW) is None


def test_it_compares_a_secret_even_when_the_id_is_unknown(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    unknown = secrets.write_bearer(secrets.new_credentials())
    with mock.patch("queues.secrets.matches", wraps=secrets.matches) as matches, django_assert_num_queries(1):
        assert authenticate(unknown, now=NOW) is None
    assert matches.call_count == 1


def test_it_refuses_a_revoked_key_from_the_next_request_on(issued: IssuedKey) -> None:
    assert authenticate(issued.bearer, now=NOW)
    revoke_api_key(issued.access_key_id, now=NOW)
    assert authenticate(issued.bearer, now=NOW) is None


def test_it_refuses_an_expired_key(team: Team) -> None:
    issued = create_api_key(team, "short", ["send"], expires_at=NOW + DAY, now=NOW)
    assert authenticate(issued.bearer, now=NOW + DAY - SECOND)
    assert authenticate(issued.bearer, now=NOW + DAY) is None


def test_it_reads_the_clock_itself_when_no_time_is_given(team: Team) -> None:
    issued = create_api_key(team, "short", ["send"], expires_at=NOW + DAY, now=NOW)
    ApiKey.objects.update(expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert authenticate(issued.bearer) is None
    ApiKey.objects.update(expires_at=datetime(2220, 1, 1, tzinfo=UTC))
    assert authenticate(issued.bearer)


# --- last used


def test_it_notes_when_the_key_was_used(issued: IssuedKey) -> None:
    authenticate(issued.bearer, now=NOW)
    assert ApiKey.objects.get().last_used_at == NOW


def test_it_notes_the_use_at_most_once_a_minute(
    issued: IssuedKey, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    authenticate(issued.bearer, now=NOW)
    with django_assert_num_queries(1):
        authenticate(issued.bearer, now=NOW + MINUTE - SECOND)
    assert ApiKey.objects.get().last_used_at == NOW
    authenticate(issued.bearer, now=NOW + MINUTE)
    assert ApiKey.objects.get().last_used_at == NOW + MINUTE


def test_it_writes_nothing_when_another_request_noted_the_use_meanwhile(issued: IssuedKey) -> None:
    loaded_before = ApiKey.objects.get()
    authenticate(issued.bearer, now=NOW)
    ApiKey.objects.touch(loaded_before, NOW + SECOND)
    assert ApiKey.objects.get().last_used_at == NOW


# --- revoke


def test_it_keeps_the_date_of_the_first_revocation(issued: IssuedKey) -> None:
    revoke_api_key(issued.key, now=NOW)
    assert revoke_api_key(issued.key, now=NOW + DAY).revoked_at == NOW


@pytest.mark.parametrize("access_key_id", ["", "SMQNOBODY", "nul\x00", "half\ud800"])
def test_it_says_when_there_is_no_such_key(access_key_id: str) -> None:
    with pytest.raises(Invalid) as refusal:
        revoke_api_key(access_key_id)
    assert refusal.value.field == "access_key_id"


# --- what a key may do


def test_it_allows_only_its_scopes(issued: IssuedKey) -> None:
    assert allows(issued.key, "send")
    assert allows(issued.key, "receive")
    assert not allows(issued.key, "manage")


def test_it_allows_any_key_what_needs_no_scope(issued: IssuedKey) -> None:
    assert allows(issued.key, None)


@pytest.mark.parametrize(
    ("pattern", "queue_name", "allowed"),
    [
        ("", "anything", True),
        ("orders-*", "orders-eu", True),
        ("orders-*", "orders", False),
        ("orders-*", "Orders-eu", False),
        ("orders", "orders-dlq", False),
        ("orders-??", "orders-eu", True),
        ("orders-??", "orders-emea", False),
        ("shard-[0-3]", "shard-4", False),
        ("shard-[!0-3]", "shard-4", True),
        ("*.fifo", "orders.fifo", True),
        ("*", "anything", True),
    ],
)
def test_it_allows_only_queues_its_pattern_names(
    issued: IssuedKey, pattern: str, queue_name: str, allowed: bool
) -> None:
    issued.key.queue_pattern = pattern
    assert allows(issued.key, "send", queue_name) is allowed


# --- encryption


def test_it_reveals_the_secret_for_checking_a_signature(issued: IssuedKey) -> None:
    assert reveal_secret(ApiKey.objects.get()) == issued.secret


def test_it_reencrypts_every_secret_under_the_first_setting(
    team: Team, issued: IssuedKey, settings: Settings
) -> None:
    other = create_api_key(team, "other", ["send"], now=NOW)
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = ["n" * 32, *settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS]
    assert reencrypt_all() == 2
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = ["n" * 32]
    revealed = [reveal_secret(key) for key in ApiKey.objects.order_by("id")]
    assert revealed == [issued.secret, other.secret]


def test_it_reencrypts_all_secrets_or_none(team: Team, issued: IssuedKey, settings: Settings) -> None:
    lost = create_api_key(team, "lost", ["send"], now=NOW)
    ApiKey.objects.filter(pk=lost.key.pk).update(secret_encrypted=b"not a ciphertext of ours")
    before = bytes(ApiKey.objects.get(pk=issued.key.pk).secret_encrypted)
    with pytest.raises(Invalid, match=lost.access_key_id):
        reencrypt_all()
    assert bytes(ApiKey.objects.get(pk=issued.key.pk).secret_encrypted) == before


def test_it_passes_over_revoked_keys_when_reencrypting(team: Team, issued: IssuedKey) -> None:
    lost = create_api_key(team, "lost", ["send"], now=NOW)
    ApiKey.objects.filter(pk=lost.key.pk).update(secret_encrypted=b"not a ciphertext of ours")
    revoke_api_key(lost.key)
    assert reencrypt_all() == 1
