"""How commands say no when it is the database that does."""

import psycopg
import pytest
from django.core.management import CommandError
from django.db import ProgrammingError, connection

from queues.management.refusals import in_one_sentence
from tests.simplemq.gunicorn_server import database_url

pytestmark = pytest.mark.django_db(transaction=True)


def ask(statement: str) -> None:
    with in_one_sentence(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '1ms'; " + statement)


def test_a_database_that_does_not_answer_is_one_sentence():
    with psycopg.connect(database_url()) as other:
        other.execute("LOCK TABLE queue IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(CommandError) as refusal:
            ask("SELECT count(*) FROM queue")
    assert str(refusal.value) == ("The database does not answer: canceling statement due to lock timeout")


def test_a_database_without_our_tables_is_one_sentence():
    with pytest.raises(CommandError, match=r"^The tables are not there: run manage\.py migrate\.$"):
        ask("SELECT count(*) FROM nothing_of_ours")


def test_a_mistake_of_ours_stays_one():
    with pytest.raises(ProgrammingError):
        ask("SELECT nonsense FROM queue")
