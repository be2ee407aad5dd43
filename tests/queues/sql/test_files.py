"""Every statement file is run by somebody and says what it does; nobody runs one that is not there."""

import re
from pathlib import Path

import pytest
from django.db import connection

from queues.managers.statements import SQL
from tests.factories import new_queue, reloaded

FILES = sorted(str(path.relative_to(SQL).with_suffix("")) for path in SQL.rglob("*.sql"))
CODE = "\n".join(path.read_text() for path in (SQL.parent / "managers").glob("*.py"))
CODE += "\n".join(path.read_text() for path in (SQL.parent / "maintenance").glob("*.py"))


def text_of(name: str) -> str:
    return (SQL / f"{name}.sql").read_text()


@pytest.mark.parametrize("name", FILES)
def test_it_is_run_by_somebody(name):
    assert f'"{name}"' in CODE


def test_nobody_runs_a_file_that_is_not_there():
    named = set(re.findall(r'run(?:_one|_script)?\(\s*"([^"]+)"', CODE))
    assert named == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_it_begins_by_saying_what_it_does(name):
    assert text_of(name).startswith("-- ")


@pytest.mark.parametrize("name", FILES)
def test_it_has_no_bare_percent_sign(name):
    """psycopg reads them even in comments."""
    assert not re.search(r"%(?!\(\w+\)s|%)", text_of(name))


def test_the_folder_is_the_table_of_contents():
    assert {Path(name).parts[0] for name in FILES} == {
        "api_key",
        "discarded_message",
        "error_group",
        "fifo_group",
        "maintenance",
        "message",
        "message_log",
        "queue",
        "queue_activity",
        "queue_sample",
        "queue_slot",
        "queue_tally",
        "session",
    }


@pytest.mark.django_db
def test_they_are_prepared_on_the_server_and_planned_once():
    queue = new_queue()
    for _ in range(10):
        reloaded(queue)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE %s",
            ["-- A team's queue by its public id%"],
        )
        [(generic, custom)] = cursor.fetchall()
    assert (generic >= 10, custom) == (True, 0)
