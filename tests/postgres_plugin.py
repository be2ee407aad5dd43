"""Gives every test run a real PostgreSQL of its own, unless DATABASE_URL names one.

Loaded by `addopts` rather than from a conftest, because pytest-django reads the settings, and they
the environment, before any conftest is imported. Workers of pytest-xdist inherit what is set here.
"""

import os
import secrets
from collections.abc import Generator
from itertools import count
from pathlib import Path

import pytest

from simplemq.embedded_postgres import EmbeddedPostgres
from simplemq.errors import AlreadyInUse, CannotStart

ROOT = Path(__file__).resolve().parent.parent
# Nothing in a test database has to survive a power cut.
FAST_SETTINGS = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "128MB", "max_connections": 200}


@pytest.hookimpl(wrapper=True)  # a wrapper runs before pytest-django's own implementation
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    for name in ("SIMPLEMQ_SECRET_KEY", "SIMPLEMQ_KEY_ENCRYPTION_SECRETS"):
        os.environ.setdefault(name, secrets.token_urlsafe(48))
    if not os.environ.get("DATABASE_URL"):
        server = _start_server()
        early_config.add_cleanup(server.stop)
        os.environ["DATABASE_URL"] = server.url
    return (yield)


def _start_server() -> EmbeddedPostgres:
    """The data directory is kept for the next run; a run at the same time takes the next free one."""
    for number in count(1):
        server = EmbeddedPostgres(ROOT / ".simplemq-test" / str(number), settings=FAST_SETTINGS)
        try:
            return server.start()
        except AlreadyInUse:
            continue
        except CannotStart as problem:
            raise pytest.UsageError(str(problem)) from None
    raise AssertionError("count() does not end")
