"""Connections of the driver. Each commits by itself: nothing of ours holds a snapshot while Spark works."""

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


def in_one_line(problem: Exception) -> str:
    """The first of what may be many lines; libpq says the same of every address it tried."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return lines[0] if lines else type(problem).__name__
