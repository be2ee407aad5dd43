"""How a command says no."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from queues.errors import QueueError


@contextmanager
def in_one_sentence() -> Iterator[None]:
    """A refusal of the queue engine ends the command with its sentence instead of a traceback."""
    try:
        yield
    except QueueError as refusal:
        where = f"{refusal.field}: " if refusal.field else ""
        raise CommandError(f"{where}{refusal.message}") from refusal
