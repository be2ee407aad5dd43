"""Gives every test run a real PostgreSQL of its own, unless DATABASE_URL names one.

Loaded by `addopts` rather than from a conftest, because pytest-django reads the settings, and they
the environment, before any conftest is imported. Workers of pytest-xdist inherit what is set here.
"""

from collections.abc import Generator
from contextlib import ExitStack

import pytest

from simplemq import throwaway
from simplemq.errors import CannotStart


@pytest.hookimpl(wrapper=True)  # a wrapper runs before pytest-django's own implementation
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    stack = ExitStack()
    early_config.add_cleanup(stack.close)
    try:
        throwaway.fill_environment(stack)
    except CannotStart as problem:
        raise pytest.UsageError(str(problem)) from None
    return (yield)
