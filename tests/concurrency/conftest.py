"""What the tests of this room share. Every thread has a real connection, so the pool is made wider."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from queues.models import Queue, Team
from queues.operations import queues
from queues.operations.keys import create_api_key
from tests.concurrency.client import Client, Connect
from tests.simplemq.gunicorn_server import database_url, running

CONNECTIONS = 48


@pytest.fixture(autouse=True)
def _wide_pool(transactional_db: None) -> Iterator[None]:
    pool = connection.pool
    least, most = pool.min_size, pool.max_size
    pool.resize(least, CONNECTIONS)
    yield
    pool.resize(least, most)


@pytest.fixture
def team() -> Team:
    return Team.objects.create(name="payments")


@pytest.fixture
def make_queue(team: Team) -> Callable[..., Queue]:
    def make(name: str = "orders", **settings: Any) -> Queue:
        queue, _ = queues.create(team, name=name, **settings)
        return queue

    return make


@pytest.fixture
def connect(team: Team) -> Iterator[Connect]:
    """Makes clients of a real server with two workers, which ends before the tables are emptied."""
    bearer = create_api_key(team, "worker", ["send", "receive", "manage"]).bearer
    with running("simplemq.wsgi:application", WEB_CONCURRENCY="2", DATABASE_URL=database_url()) as server:
        yield lambda: Client(server.port, bearer)
