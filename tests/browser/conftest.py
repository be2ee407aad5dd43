"""A room with a real browser. The server is a thread of this process, so tests prepare and check by the ORM.

Debian's Chromium is used as it is; nothing is downloaded. Whatever a page complains about fails its test:
a refused script, an error on its console, a dialog that opens. See complaints.py
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from queues.models import Queue, Role, Team
from queues.operations import teams
from simplemq import prerequisites
from tests.browser.chromium import QUIET
from tests.browser.complaints import Complaints
from tests.factories import new_queue, new_team

# Playwright's sync API keeps an event loop in this thread, where Django would then refuse every query.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

HERE = Path(__file__).parent
PATIENCE_MS = 10_000

Visit = Callable[..., Page]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One browser is enough: one worker has it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": prerequisites.find("chromium"), "args": QUIET}


@pytest.fixture(scope="session")
def base_url() -> None:
    """The plugin's own is a method, against which pytest warns. `visit_as` tells a browser its address."""


@pytest.fixture(autouse=True)
def no_collected_static_files(settings: Settings, tmp_path: Path) -> None:
    """Nobody ran collectstatic before the tests: the server finds the files where they are written."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(autouse=True)
def cheap_passwords(settings: Settings) -> None:
    """Hashing them as in earnest takes most of a second each."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def address(transactional_db: None, no_collected_static_files: None) -> Iterator[str]:
    """Where the service answers. It ends before the tables are emptied."""
    server = LiveServer("127.0.0.1")
    yield server.url
    server.stop()


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """What pages complained about; a test that provokes some says so by `complaints.expect(…)`."""
    collected = Complaints()
    yield collected
    assert collected.unexpected() == []


@pytest.fixture
def team(transactional_db: None) -> Team:
    return new_team("payments")


@pytest.fixture
def orders(team: Team) -> Queue:
    return new_queue(team, name="orders", max_deliveries=1)


def member(team: Team, name: str, role: Role) -> User:
    user = User.objects.create_user(name, password=f"the-secret-of-{name}")
    teams.add_member(team, user, role)
    return user


@pytest.fixture
def owner(team: Team) -> User:
    return member(team, "olivia", Role.OWNER)


@pytest.fixture
def viewer(team: Team) -> User:
    return member(team, "victor", Role.VIEWER)


@pytest.fixture
def stranger(transactional_db: None) -> User:
    return member(new_team("strangers"), "sam", Role.OWNER)


@pytest.fixture
def visit_as(address: str, complaints: Complaints, new_context: Callable[..., BrowserContext]) -> Visit:
    """Makes an empty page in a browser of somebody who is signed in, or of nobody."""

    def visit(user: User | None, **how: Any) -> Page:
        context = new_context(base_url=address, **how)
        context.set_default_timeout(PATIENCE_MS)
        complaints.listen_to(context)
        if user is not None:
            context.add_cookies([{"name": "sessionid", "value": _session_of(user), "url": address}])
        return context.new_page()

    return visit


@pytest.fixture
def page(visit_as: Visit, owner: User) -> Page:
    """The owner's."""
    return visit_as(owner)


def _session_of(user: User) -> str:
    client = Client()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client.cookies["sessionid"].value
