"""Connections of the driver. Each commits by itself: nothing of ours holds a snapshot while Spark works."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

from spark_jobs.errors import JobError

Connection = psycopg.Connection[Any]
PATIENCE_SECONDS = 10


def connect(url: str, what: str = "the database") -> Connection:
    try:
        return psycopg.connect(
            url,
            autocommit=True,
            row_factory=namedtuple_row,
            connect_timeout=PATIENCE_SECONDS,
            application_name="simplemq metrics",
        )
    except (psycopg.OperationalError, psycopg.ProgrammingError) as problem:
        raise JobError(f"Cannot reach {what}: {in_one_line(problem)}") from None


@contextmanager
def one_at_a_time(primary: Connection, lock: int, refusal: str) -> Iterator[None]:
    """Hold a lock that ends with its connection at the latest, never outliving its process."""
    row = primary.execute("SELECT pg_try_advisory_lock(%s) AS yes", [lock]).fetchone()
    if row is None or not row.yes:
        raise JobError(refusal)
    try:
        yield
    finally:
        if not primary.closed:
            # Left to the end of the connection, it would stay a moment longer than we do.
            primary.execute("SELECT pg_advisory_unlock(%s)", [lock])


def in_one_line(problem: Exception) -> str:
    """The first of what may be many lines; libpq says the same of every address it tried."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return lines[0] if lines else type(problem).__name__
