"""The calls of the service, recorded from the real ones and written for pgbench."""

import re
from collections.abc import Callable

import pytest

from benchmarks import floors, scripts
from benchmarks.recording import Recording, Statement, record
from benchmarks.scripts import Script, literal
from tests.factories import new_queue

# What pgbench draws, remembers or learns while it runs.
FOUND_OUT = {"queue_id", "first_queue", "last_queue", "ids", "receipts", "parked_floor"}
VARIABLE = re.compile(r"(?<![:\w]):([a-z]\w*)")


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (30, "30"), ("acked", "acked"), (["a b", None], '{"a b",NULL}'), ([1, 2], "{1,2}")],
)
def test_values_are_written_as_postgresql_reads_them(value: object, text: str) -> None:
    assert literal(value) == text


def test_each_statement_has_variables_of_its_own() -> None:
    script = Script()
    script.ask("send", Statement("SELECT %(batch)s", {"batch": 1}))
    script.ask("send", Statement("SELECT %(batch)s, %(now)s", {"batch": 100, "now": None}))
    assert script.lines == ["SELECT :batch_0;", "SELECT :batch_1, NULL;"]
    assert script.variables == {"batch_0": "1", "batch_1": "100"}


@pytest.mark.django_db
def test_a_recording_has_the_statements_of_each_call() -> None:
    calls = record(new_queue(), "hello", 2).calls
    assert [statement.is_named("message/send") for statement in calls["send"]] == [True]
    assert [statement.is_named("message/claim") for statement in calls["receive"]] == [False, True]
    assert [statement.is_named("message/finish") for statement in calls["ack"]] == [True]


@pytest.mark.django_db
@pytest.mark.parametrize("write", [scripts.cycle, scripts.plain_cycle, floors.cycle])
def test_every_variable_of_a_script_has_a_value(write: Callable[[Recording], Script]) -> None:
    script = write(record(new_queue(), "hello", 1))
    assert set(VARIABLE.findall(script.text)) <= script.variables.keys() | FOUND_OUT
