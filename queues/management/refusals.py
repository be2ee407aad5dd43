"""How a command says no."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import OperationalError, ProgrammingError
from psycopg.errors import UndefinedTable

from queues.errors import QueueError


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """A refusal, or a database out of reach, ends the command with a sentence instead of a traceback."""
    try:
        yield
    except QueueError as refusal:
        where = f"{refusal.field}: " if refusal.field else ""
        raise CommandError(f"{where}{refusal.message}") from refusal
    except OperationalError as problem:
        raise CommandError(f"The database does not answer: {str(problem).splitlines()[0]}") from problem
    except ProgrammingError as problem:
        if not isinstance(problem.__cause__, UndefinedTable):
            raise
        raise CommandError("The tables are not there: run manage.py migrate.") from problem
