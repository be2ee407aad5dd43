"""The characters of these tests: an owner, a teammate with another key, and a stranger of another team."""

from pathlib import Path

import pytest
from pytest_django import Settings

from queues.models import Queue, Team, Topic
from tests.factories import new_queue, new_team, new_topic
from tests.queues.api.caller import Caller


@pytest.fixture(autouse=True)
def no_collected_static_files(settings: Settings, tmp_path: Path) -> None:
    """Nobody ran collectstatic before the tests: its server would warn, its manifest would be missing."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture
def team(db: None) -> Team:
    return new_team("payments")


@pytest.fixture
def owner(team: Team) -> Caller:
    return Caller(team, "owner")


@pytest.fixture
def teammate(team: Team) -> Caller:
    return Caller(team, "teammate")


@pytest.fixture
def stranger(db: None) -> Caller:
    return Caller(new_team("strangers"), "stranger")


@pytest.fixture
def queue(team: Team) -> Queue:
    return new_queue(team, name="orders")


@pytest.fixture
def topic(team: Team) -> Topic:
    return new_topic(team)


@pytest.fixture
def address(queue: Queue) -> str:
    return f"/api/queues/{queue.public_id}"


@pytest.fixture
def messages(address: str) -> str:
    return f"{address}/messages"
