"""The characters of these tests: an owner, an operator and a viewer of one team, and a stranger of another.

Each is a browser in which that person is signed in; `anybody` has not signed in.
"""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from queues.models import Membership, Queue, Role, Team
from tests.factories import new_queue, new_team


@pytest.fixture(autouse=True)
def no_collected_static_files(settings: Settings, tmp_path: Path) -> None:
    """Nobody ran collectstatic before the tests: its server would warn, its manifest would be missing."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(autouse=True)
def cheap_passwords(settings: Settings) -> None:
    """Hashing them as in earnest takes most of a second each."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def new_person(name: str, team: Team | None = None, role: Role = Role.VIEWER) -> User:
    """Somebody who may sign in; a member of the team when one is given."""
    user = User.objects.create_user(name, password=f"the password of {name}")
    if team is not None:
        Membership.objects.create(user=user, team=team, role=role)
    return user


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def team(db: None) -> Team:
    return new_team("payments")


@pytest.fixture
def queue(team: Team) -> Queue:
    return new_queue(team, name="orders", max_deliveries=1)


@pytest.fixture
def anybody() -> Client:
    return Client()


@pytest.fixture
def owner(team: Team) -> Client:
    return browser_of(new_person("olga", team, Role.OWNER))


@pytest.fixture
def operator(team: Team) -> Client:
    return browser_of(new_person("oscar", team, Role.OPERATOR))


@pytest.fixture
def viewer(team: Team) -> Client:
    return browser_of(new_person("vera", team, Role.VIEWER))


@pytest.fixture
def stranger(db: None) -> Client:
    return browser_of(new_person("sam", new_team("strangers"), Role.OWNER))
