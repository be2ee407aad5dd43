"""Up to when the log is complete. Real transactions of other connections decide."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta

import psycopg
import pytest

from spark_jobs import database
from spark_jobs.settled import settled, wait_for_replica
from tests.simplemq.gunicorn_server import database_url

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def transaction(statement: str) -> Iterator[datetime]:
    """Another connection with a transaction open; answers when it began."""
    with psycopg.connect(database_url()) as other:
        [began] = other.execute("SELECT transaction_timestamp()").fetchone()
        other.execute(statement)
        yield began
        other.rollback()


@pytest.fixture
def primary() -> Iterator[database.Connection]:
    with closing(database.connect(database_url())) as connection:
        yield connection


def now(primary: database.Connection) -> datetime:
    return primary.execute("SELECT clock_timestamp() AS now").fetchone().now


def test_it_is_a_while_ago_when_nobody_writes(primary):
    until = settled(primary, settle_seconds=10).until
    assert timedelta(seconds=10) <= now(primary) - until < timedelta(seconds=20)


def test_it_is_before_the_oldest_transaction_that_writes(primary):
    with transaction("INSERT INTO metrics_watermark VALUES (1, now(), 1)") as began:
        assert settled(primary, settle_seconds=0.001).until == began
    assert settled(primary, settle_seconds=0.001).until > began


def test_it_does_not_wait_for_those_who_only_read(primary):
    with transaction("SELECT count(*) FROM queue") as began:
        assert settled(primary, settle_seconds=0.001).until > began


def test_the_primary_itself_need_not_catch_up(primary):
    wait_for_replica(primary, "FFFFFFFF/FFFFFFFF", patience=0)
