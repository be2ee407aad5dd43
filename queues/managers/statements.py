"""Runs the statements of `queues/sql`: one file, one statement, prepared on the server."""

from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, transaction
from psycopg import sql
from psycopg.rows import namedtuple_row

SQL = Path(__file__).resolve().parent.parent / "sql"


@cache
def load(name: str) -> str:
    """The text of `queues/sql/<name>.sql`."""
    return (SQL / f"{name}.sql").read_text()


def run(name: str, **params: Any) -> list[Any]:
    """Run one statement and fetch its rows, as named tuples.

    Django's own cursors bind on the client and never prepare; for the hot statements that costs more than
    running them. Outside a transaction each statement is its own: one round trip, one commit.
    """
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    if connection.queries_logged:
        connection.queries_log.append({"sql": f"-- {name}.sql", "time": "0"})
    with (
        connection.wrap_database_errors,
        psycopg.Cursor(connection.connection, row_factory=namedtuple_row) as cursor,
    ):
        cursor.execute(load(name), params, prepare=True)
        return cursor.fetchall() if cursor.description else []


def run_one(name: str, **params: Any) -> Any:
    """Run a statement that always answers exactly one row."""
    [row] = run(name, **params)
    return row


@transaction.atomic
def run_script(name: str, **parts: sql.Composable) -> None:
    """Run a script of schema changes in one transaction. They take names and literals, no parameters."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(sql.SQL(load(name)).format(**parts))
