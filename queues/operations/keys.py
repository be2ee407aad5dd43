"""API keys: issued once, checked on every request, revoked at any time."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase

from django.db import transaction
from django.utils import timezone

from queues import limits, secrets
from queues.errors import Conflict, Invalid, QuotaExceeded
from queues.models import ApiKey, Team

# What a queue name is made of, and the four signs of a pattern: * ? [abc] [!abc]
QUEUE_PATTERN = re.compile(r"[A-Za-z0-9_.*?\[\]!-]*\Z")
# Stands in for the digest of a key that does not exist. No secret has it.
NO_DIGEST = bytes(32)


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key and its secret, which is shown this once."""

    key: ApiKey
    secret: str = field(repr=False)

    @property
    def access_key_id(self) -> str:
        return self.key.access_key_id

    @property
    def bearer(self) -> str:
        return secrets.write_bearer(secrets.Credentials(self.access_key_id, self.secret))


def create_api_key(
    team: Team,
    name: str,
    scopes: list[str],
    queue_pattern: str = "",
    expires_at: datetime | None = None,
    now: datetime | None = None,
) -> IssuedKey:
    now = now or timezone.now()
    _verify_name(name)
    scopes = limits.verify_scopes(scopes)
    _verify_queue_pattern(queue_pattern)
    _verify_expiry(expires_at, now)
    with transaction.atomic():
        _reserve_place(team, name, now)
        return _issue(team, name=name, scopes=scopes, queue_pattern=queue_pattern, expires_at=expires_at)


def revoke_api_key(key: ApiKey | str, now: datetime | None = None) -> ApiKey:
    """Holds for the next request on every worker. A key that is revoked already keeps its date."""
    access_key_id = key if isinstance(key, str) else key.access_key_id
    limits.verify_text("access_key_id", access_key_id)
    found = ApiKey.objects.filter(access_key_id=access_key_id)
    found.filter(revoked_at=None).update(revoked_at=now or timezone.now())
    revoked = found.select_related("team").first()
    if revoked is None:
        raise Invalid("There is no such API key.", field="access_key_id")
    return revoked


def authenticate(bearer: str, now: datetime | None = None) -> ApiKey | None:
    """The live key this token belongs to, with its team."""
    credentials = secrets.read_bearer(bearer)
    if credentials is None:
        return None
    key = ApiKey.objects.by_access_key_id(credentials.access_key_id, now)
    # An unknown id is compared too, so that the time taken does not tell which ids exist.
    known = secrets.matches(credentials.secret, key.secret_digest if key else NO_DIGEST)
    if key is None or not known:
        return None
    ApiKey.objects.touch(key, now)
    return key


def allows(key: ApiKey, scope: str | None, name: str | None = None) -> bool:
    """No scope: any live key may. No name: the call is not about one queue or topic."""
    if scope is not None and scope not in key.scopes:
        return False
    return name is None or not key.queue_pattern or fnmatchcase(name, key.queue_pattern)


def reveal_secret(key: ApiKey) -> str:
    """For checking a signature, which the digest cannot do."""
    return secrets.decrypt(key.secret_encrypted)


def reencrypt_all() -> int:
    """Every secret that can still sign, under the first encryption secret; all of them or none."""
    with transaction.atomic():
        keys = ApiKey.objects.filter(revoked_at=None).order_by("id").select_for_update(no_key=True)
        return sum(_reencrypt(key) for key in keys)


def _verify_name(name: str) -> None:
    if not name.strip():
        raise Invalid("Must not be empty.", field="name")
    limits.verify_length("name", name, limits.KEY_NAME_LENGTH)


def _verify_queue_pattern(pattern: str) -> None:
    limits.verify_length("queue_pattern", pattern, limits.QUEUE_PATTERN_LENGTH)
    if not QUEUE_PATTERN.match(pattern):
        raise Invalid("Must be one queue name, with * ? and [] as wildcards.", field="queue_pattern")


def _verify_expiry(expires_at: datetime | None, now: datetime) -> None:
    if expires_at is None:
        return
    if timezone.is_naive(expires_at):
        raise Invalid("Must have a time zone.", field="expires_at")
    if expires_at <= now:
        raise Invalid("Must be in the future.", field="expires_at")


def _reserve_place(team: Team, name: str, now: datetime) -> None:
    # Two creations at once would both find room for the last key: the second waits here for the first.
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    live = ApiKey.objects.live(now).filter(team=team)
    if live.filter(name=name).exists():
        raise Conflict(f"The team has a live key named {name} already.", field="name")
    if live.count() >= team.max_api_keys:
        raise QuotaExceeded(f"The team may have {team.max_api_keys} live API keys; revoke one first.")
    # An expired key gives up its name: the constraint knows no time, it only sees revoked_at.
    ApiKey.objects.filter(team=team, name=name, revoked_at=None).update(revoked_at=now)


def _issue(team: Team, **settings: object) -> IssuedKey:
    credentials = secrets.new_credentials()
    key = ApiKey.objects.create(
        team=team,
        access_key_id=credentials.access_key_id,
        secret_digest=secrets.digest(credentials.secret),
        secret_encrypted=secrets.encrypt(credentials.secret),
        **settings,
    )
    return IssuedKey(key, credentials.secret)


def _reencrypt(key: ApiKey) -> int:
    try:
        ciphertext = secrets.reencrypt(key.secret_encrypted)
    except secrets.Undecipherable as problem:
        raise Invalid(
            f"{problem} It belongs to {key.access_key_id}: revoke it or restore the setting."
        ) from None
    return ApiKey.objects.filter(pk=key.pk).update(secret_encrypted=ciphertext)
