"""The statements of `queues/sql`, as pgbench is given them."""

import re

import pytest

from benchmarks.translation import gather, translate
from queues.managers.statements import SQL, load

HOT = ("send", "promote", "claim", "finish", "head")


def test_it_turns_parameters_into_variables() -> None:
    assert translate("SELECT %(limit)s::int + %(limit)s::int") == "SELECT :limit::int + :limit::int"


def test_it_binds_what_is_given() -> None:
    sql = "SELECT COALESCE(%(now)s::timestamptz, %(other)s)"
    assert (
        translate(sql, {"now": "NULL", "other": ":other_2"}) == "SELECT COALESCE(NULL::timestamptz, :other_2)"
    )


def test_it_leaves_one_line_without_comments() -> None:
    sql = "-- What it does, 100%%.\nSELECT id  -- why\n  FROM message\n"
    assert translate(sql) == "SELECT id FROM message"


def test_it_leaves_quoted_text_alone() -> None:
    assert translate("SELECT 'two  -- words'") == "SELECT 'two  -- words'"


def test_it_undoubles_percent_signs() -> None:
    assert translate("SELECT 7 %% 2") == "SELECT 7 % 2"


def test_gathering_turns_the_answer_into_one_row() -> None:
    sql = "WITH gone AS (\n    SELECT 1 AS id\n)\n-- Why.\nSELECT id\n  FROM gone\n"
    assert translate(gather(sql, "array_agg(id) AS ids")) == (
        "WITH gone AS ( SELECT 1 AS id ) , answered AS MATERIALIZED ( SELECT id FROM gone ) "
        "SELECT array_agg(id) AS ids FROM answered"
    )


@pytest.mark.parametrize("name", sorted(path.stem for path in (SQL / "message").glob("*.sql")))
def test_it_leaves_nothing_of_psycopg_in_our_statements(name: str) -> None:
    translated = translate(load(f"message/{name}"))
    assert not re.search(r"%\(|--|\n|;", translated)


@pytest.mark.parametrize("name", HOT)
def test_our_statements_answer_by_a_last_select_that_can_be_gathered(name: str) -> None:
    gathered = translate(gather(load(f"message/{name}"), "count(*) AS answers"))
    assert gathered.endswith("SELECT count(*) AS answers FROM answered")
    assert gathered.count("answered AS MATERIALIZED") == 1
