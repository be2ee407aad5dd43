"""Turns a statement of `queues/sql` into one that pgbench runs: the same text, with pgbench's variables."""

import re
from collections.abc import Mapping

TOKEN = re.compile(r"(?P<text>'[^']*')|(?P<gap>(?:\s|--[^\n]*)+)|%\((?P<name>\w+)\)s|%%")
# In our files only the SELECT that answers begins a line.
LAST_SELECT = re.compile(r"^SELECT\b", re.MULTILINE)


def translate(sql: str, literals: Mapping[str, str] | None = None) -> str:
    """One line without comments, in which `%(name)s` is `:name`, or the literal given for it."""
    known = literals or {}

    def replace(token: re.Match[str]) -> str:
        if name := token["name"]:
            return known.get(name, f":{name}")
        if token["gap"]:
            return " "
        return token["text"] or "%"

    return TOKEN.sub(replace, sql).strip()


def gather(sql: str, columns: str) -> str:
    """Answer one row made of all the rows the statement answers: pgbench can remember one row only.

    A statement that changes rows in its WITH cannot be nested, so its last SELECT becomes part of the WITH.
    """
    start = [found.start() for found in LAST_SELECT.finditer(sql)][-1]
    return f"{sql[:start]}, answered AS MATERIALIZED (\n{sql[start:]}\n)\nSELECT {columns} FROM answered"
