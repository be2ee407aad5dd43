"""What the commands of this package say instead of a traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class CannotStart(Exception):
    """Something outside the code is in the way; the text says what, and what to do about it."""


class AlreadyInUse(CannotStart):
    """Another process holds this data directory."""


@contextmanager
def one_sentence_for_people() -> Iterator[None]:
    """The edge of a command: the sentence goes to stderr, the exit code is 1."""
    try:
        yield
    except CannotStart as problem:
        print(f"simplemq: {problem}", file=sys.stderr)
        raise SystemExit(1) from None
