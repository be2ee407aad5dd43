"""Misconfiguration, said at start instead of at three in the morning."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DEFAULT_DB_ALIAS, connections

LEAST_POSTGRESQL = 18
LEAST_SECRET_LENGTH = 32


@register(Tags.database)
def postgresql_is_recent(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Runs in `migrate` and `check --database default` only: it needs a connection."""
    if not _asked_about_ours(databases):
        return []
    found = int(_ask("SHOW server_version_num")) // 10_000
    if found >= LEAST_POSTGRESQL:
        return []
    return [
        Error(
            f"PostgreSQL {found} is too old: SimpleMQ needs {LEAST_POSTGRESQL}.",
            hint="The claim of a message relies on index skip scans, the ids on uuidv7().",
            id="queues.E001",
        )
    ]


@register(Tags.database)
def commits_are_durable(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    if not _asked_about_ours(databases):
        return []
    off = [name for name in ("fsync", "synchronous_commit") if _ask(f"SHOW {name}") == "off"]
    return [
        Warning(
            f"PostgreSQL runs with {name} = off: messages that were accepted can be lost in a crash.",
            hint=f"Set {name} = on unless losing messages is fine.",
            id="queues.W002",
        )
        for name in off
    ]


@register(Tags.security)
def encryption_secrets_are_strong(**_: Any) -> list[CheckMessage]:
    secrets = settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS
    if secrets and all(len(secret) >= LEAST_SECRET_LENGTH for secret in secrets):
        return []
    return [
        Error(
            "SIMPLEMQ_KEY_ENCRYPTION_SECRETS is empty, or one of its secrets is shorter than "
            f"{LEAST_SECRET_LENGTH} characters.",
            hint='Make one with: python -c "import secrets; print(secrets.token_urlsafe(48))"',
            id="queues.E002",
        )
    ]


@register
def database_is_postgresql(**_: Any) -> list[CheckMessage]:
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        return []
    return [
        Error(
            "SimpleMQ runs on PostgreSQL only.",
            hint="Give DATABASE_URL the form postgresql://user:password@host:5432/name.",
            id="queues.E003",
        )
    ]


@register
def connections_are_pooled(**_: Any) -> list[CheckMessage]:
    if connections[DEFAULT_DB_ALIAS].settings_dict["OPTIONS"].get("pool"):
        return []
    return [
        Warning(
            "The database has no connection pool: every request opens a connection of its own.",
            hint='Set DATABASES["default"]["OPTIONS"]["pool"].',
            id="queues.W001",
        )
    ]


def _asked_about_ours(databases: Sequence[str] | None) -> bool:
    return DEFAULT_DB_ALIAS in (databases or ()) and connections[DEFAULT_DB_ALIAS].vendor == "postgresql"


def _ask(question: str) -> str:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(question)
        return str(cursor.fetchone()[0])
