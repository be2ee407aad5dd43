"""What the job believes about the tables is what the service's migrations made."""

import pytest
from django.db import connection

from queues.models import BUCKET_SECONDS
from spark_jobs import config, contract

pytestmark = pytest.mark.django_db

COLUMNS = """
    SELECT attname, atttypid::regtype::text
      FROM pg_attribute
     WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
"""
KEY = """
    SELECT attname
      FROM pg_index, unnest(indkey) WITH ORDINALITY AS part (attnum, place)
      JOIN pg_attribute USING (attnum)
     WHERE indrelid = %s::regclass AND attrelid = indrelid AND indisprimary
     ORDER BY place
"""
LONG_NAMES = {"timestamp with time zone": "timestamptz", "character varying": "varchar"}


def real_columns(table: str) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS, [table])
        return {name: LONG_NAMES.get(kind, kind) for name, kind in cursor.fetchall()}


def real_key(table: str) -> tuple[str, ...]:
    with connection.cursor() as cursor:
        cursor.execute(KEY, [table])
        return tuple(name for [name] in cursor.fetchall())


WHOLE = (contract.MESSAGE_STAY, contract.MESSAGE_LOG, contract.DEAD_LETTER, *contract.WRITTEN)


@pytest.mark.parametrize("table", WHOLE, ids=lambda table: table.name)
def test_it_knows_every_column(table):
    assert real_columns(table.name) == table.columns


def test_it_knows_the_settings_it_reads_of_a_queue():
    real = real_columns("queue")
    assert {name: real.get(name) for name in contract.QUEUE.columns} == contract.QUEUE.columns


@pytest.mark.parametrize("table", contract.WRITTEN, ids=lambda table: table.name)
def test_it_knows_the_keys_it_writes_by(table):
    assert real_key(table.name) == table.key


def test_both_sides_know_the_same_sizes_of_bucket():
    assert tuple(config.BUCKETS.values()) == BUCKET_SECONDS
