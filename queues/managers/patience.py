"""How long a statement may take that a person is waiting for."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, transaction
from psycopg.errors import QueryCanceled

from queues.errors import QueueError
from queues.managers.statements import run_one


@contextmanager
def at_most(seconds: float, otherwise: type[QueueError]) -> Iterator[None]:
    """Statements that take longer are given up; the caller is told so by an error of his choice."""
    try:
        with transaction.atomic():
            before = _set(f"{int(seconds * 1000)}ms")
            yield
            _set(before)
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise otherwise() from error
        raise


def _set(timeout: str) -> str:
    return str(run_one("session/statement_timeout", timeout=timeout).before)
