"""What the tests of this room share. Every thread has a real connection, so the pool is made wider."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from queues.models import Queue, Team
from queues.operations import queues

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
