"""The characters of these tests: an owner, a teammate with another key, and a stranger of another team."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from queues.models import Queue, Team
from queues.operations import queues
from queues.operations.keys import create_api_key

ALL_SCOPES = ["send", "receive", "manage"]


class Caller:
    """A client with an API key. Bodies and answers are JSON."""

    def __init__(self, team: Team, name: str, scopes: list[str] | None = None, pattern: str = "") -> None:
        self.team = team
        issued = create_api_key(team, name, scopes or ALL_SCOPES, pattern)
        self.bearer = issued.bearer
        self.http = Client(headers={"Authorization": f"Bearer {issued.bearer}"})

    def get(self, path: str, query: Any = None, **options: Any) -> HttpResponse:
        return self.http.get(path, query, **options)

    def head(self, path: str) -> HttpResponse:
        return self.http.head(path)

    def delete(self, path: str) -> HttpResponse:
        return self.http.delete(path)

    def post(self, path: str, body: Any = None, **options: Any) -> HttpResponse:
        return self._send("post", path, body, **options)

    def patch(self, path: str, body: Any = None, **options: Any) -> HttpResponse:
        return self._send("patch", path, body, **options)

    def _send(self, method: str, path: str, body: Any, **options: Any) -> HttpResponse:
        """Bytes go as they are, everything else as JSON."""
        options.setdefault("content_type", "application/json")
        return getattr(self.http, method)(path, {} if body is None else body, **options)


@pytest.fixture(autouse=True)
def no_collected_static_files(settings: Settings, tmp_path: Path) -> None:
    """Nobody ran collectstatic before the tests: a warning of its server, a missing manifest."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture
def team(db: None) -> Team:
    return Team.objects.create(name="payments")


@pytest.fixture
def owner(team: Team) -> Caller:
    return Caller(team, "owner")


@pytest.fixture
def teammate(team: Team) -> Caller:
    return Caller(team, "teammate")


@pytest.fixture
def stranger(db: None) -> Caller:
    return Caller(Team.objects.create(name="strangers"), "stranger")


@pytest.fixture
def new_queue(team: Team) -> Callable[..., Queue]:
    def make(name: str = "orders", **settings: Any) -> Queue:
        return queues.create(team, name=name, **settings)[0]

    return make


@pytest.fixture
def queue(new_queue: Callable[..., Queue]) -> Queue:
    return new_queue()


@pytest.fixture
def messages(queue: Queue) -> str:
    """The address of the queue's messages."""
    return f"/api/queues/{queue.public_id}/messages"
