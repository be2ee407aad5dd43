from unittest import mock

import pytest
from django.core.checks import run_checks
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from pytest_django import Settings


def found(databases: list[str] | None = None) -> set[str]:
    ids = {message.id for message in run_checks(databases=databases)}
    return {name for name in ids if name.startswith("queues.")}


def test_it_finds_nothing_wrong_with_our_settings_and_asks_no_database() -> None:
    # Without the django_db mark a connection would fail the test.
    assert found() == set()


@pytest.mark.django_db
def test_it_refuses_an_old_postgresql() -> None:
    assert "queues.E001" not in found(["default"])
    with mock.patch("queues.checks._ask", return_value="170006"):
        assert "queues.E001" in found(["default"])


@pytest.mark.django_db
def test_it_warns_of_commits_that_are_not_durable() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    assert "queues.W002" in found(["default"])


@pytest.mark.parametrize("secrets", [[], [""], ["x" * 31], ["x" * 32, "short"]])
def test_it_refuses_weak_encryption_secrets(settings: Settings, secrets: list[str]) -> None:
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = secrets
    assert found() == {"queues.E002"}


def test_it_refuses_another_database() -> None:
    with mock.patch.object(DatabaseWrapper, "vendor", "sqlite"):
        assert "queues.E003" in found()


def test_it_warns_when_connections_are_not_pooled() -> None:
    with mock.patch.dict(connection.settings_dict["OPTIONS"], {"pool": None}):
        assert found() == {"queues.W001"}
