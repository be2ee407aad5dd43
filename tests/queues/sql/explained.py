"""EXPLAIN of the statements in `queues/sql`, as the server plans them when they are prepared and cached."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from django.db.models import QuerySet
from psycopg import sql

from queues.managers.statements import load

PARAMETER = re.compile(r"%\((\w+)\)s")


def explain(name: str, **params: Any) -> "Plan":
    """Run a statement under EXPLAIN ANALYZE, with the plan for any parameters; what it does is undone."""
    return _explained(name, "ANALYZE, FORMAT JSON", params)


def planned(name: str) -> "Plan":
    """The plan of a statement for any parameters; nothing runs."""
    return _explained(name, "FORMAT JSON", defaultdict(lambda: None))


def _explained(name: str, options: str, params: Mapping[str, Any]) -> "Plan":
    text = re.sub(r"^ *--.*$", "", load(name), flags=re.MULTILINE)
    names = list(dict.fromkeys(PARAMETER.findall(text)))
    numbered = PARAMETER.sub(lambda match: f"${names.index(match[1]) + 1}", text)
    connection.ensure_connection()
    raw: psycopg.Connection = connection.connection
    with raw.transaction(force_rollback=True), psycopg.Cursor(raw) as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE explained AS {numbered}")
        values = sql.SQL(", ").join(sql.Literal(params[name]) for name in names)
        call = sql.SQL("explained({})").format(values) if names else sql.SQL("explained")
        cursor.execute(sql.SQL(f"EXPLAIN ({options}) EXECUTE {{}}").format(call))
        answer = cursor.fetchone()[0]
        cursor.execute("DEALLOCATE explained")
    return Plan((json.loads(answer) if isinstance(answer, str) else answer)[0]["Plan"])


def explain_rows(rows: QuerySet[Any, Any]) -> "Plan":
    """The same for what a queryset would fetch."""
    return Plan(json.loads(rows.explain(analyze=True, format="json"))[0]["Plan"])


def explain_text(statement: str) -> "Plan":
    """The same for a statement that the ORM has run, its values in it."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")
        [(answer,)] = cursor.fetchall()
    return Plan(answer[0]["Plan"])


@contextmanager
def without_statistics(*tables: str) -> Iterator[None]:
    """As if they had never been analysed: emptying a table leaves what was known of its rows before."""
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        cursor.execute(
            """SELECT pg_clear_attribute_stats('public', relname, attname, false)
                 FROM pg_attribute
                 JOIN pg_class ON pg_class.oid = attrelid
                WHERE attrelid = ANY (%s::regclass[])
                  AND attnum > 0
                  AND NOT attisdropped""",
            [list(tables)],
        )
        yield
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} RESET (autovacuum_enabled)")


class Plan:
    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.nodes = list(_walk(root))

    def scans(self, table: str = "message") -> list[dict[str, Any]]:
        return [
            node for node in self.nodes if node.get("Relation Name") == table and "Scan" in node["Node Type"]
        ]

    def indexes(self, table: str = "message") -> set[str]:
        return {node.get("Index Name", node["Node Type"]) for node in self.scans(table)}

    def rows_read(self, table: str = "message") -> int:
        """Rows the scans of a table produced or threw away."""
        return sum(
            round((node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"])
            for node in self.scans(table)
        )


def _walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", []):
        yield from _walk(child)
