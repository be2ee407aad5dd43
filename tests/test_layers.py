"""Who may import whom. The rules are those of CONTRIBUTING.md, "Where things go"."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = ["simplemq", "queues", "dlq_console", "spark_jobs"]
DOORS = ["queues.api", "queues.sqs", "dlq_console"]
CURSORS = ["psycopg", "queues.managers.statements"]


def modules_of(package: str) -> list[Path]:
    folder = ROOT / package.replace(".", "/")
    return sorted(path for path in folder.rglob("*.py") if "migrations" not in path.parts)


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def offenders(package: str, forbidden: list[str]) -> set[str]:
    def is_forbidden(name: str) -> bool:
        return any(name == bad or name.startswith(f"{bad}.") for bad in forbidden)

    return {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules_of(package)
        for name in imports_of(path)
        if is_forbidden(name)
    }


@pytest.mark.parametrize("package", ["queues", "dlq_console", "spark_jobs"])
def test_nobody_imports_the_wiring(package):
    assert offenders(package, ["simplemq"]) == set()


@pytest.mark.parametrize("door", DOORS)
def test_doors_know_neither_each_other_nor_sql(door):
    others = [other for other in DOORS if other != door]
    assert offenders(door, [*others, *CURSORS, "queues.managers"]) == set()


@pytest.mark.parametrize(
    "package", ["queues.operations", "queues.managers", "queues.models", "queues.maintenance"]
)
def test_the_domain_knows_no_http(package):
    http = ["rest_framework", "django.http", "django.views", "django.urls", "django.shortcuts"]
    assert offenders(package, [*http, *DOORS]) == set()


@pytest.mark.parametrize("package", ["queues.operations", "queues.models"])
def test_only_managers_run_sql(package):
    assert offenders(package, ["psycopg", "django.db.connection", *CURSORS[1:]]) == set()


def test_spark_and_django_do_not_meet():
    assert offenders("spark_jobs", ["django", "queues", "dlq_console"]) == set()
    assert offenders("queues", ["spark_jobs", "pyspark"]) == set()


def test_the_rule_finds_an_offender(tmp_path):
    """The reader itself is tested: it sees plain, aliased and nested imports."""
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from queues.api import views\nimport psycopg as p\n")
    assert {"queues.api.views", "psycopg"} <= set(imports_of(bad))
