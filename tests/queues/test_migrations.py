"""The schema goes forward and back, and what raw SQL made is what the models say."""

import pytest
from django.core.management import call_command
from django.db import connection

from queues.models import MessageLog


def tables() -> set[str]:
    return set(connection.introspection.table_names())


@pytest.mark.django_db(transaction=True)
def test_they_go_back_and_forward_again():
    call_command("migrate", "queues", "zero", verbosity=0)
    try:
        assert not {"message", "message_log", "queue", "team"} & tables()
    finally:
        call_command("migrate", verbosity=0)
    assert {"message", "message_log", "queue", "team"} <= tables()


@pytest.mark.django_db
def test_the_log_has_the_columns_its_model_names():
    with connection.cursor() as cursor:
        columns = {
            column.name for column in connection.introspection.get_table_description(cursor, "message_log")
        }
    assert columns == {field.column for field in MessageLog._meta.concrete_fields}


@pytest.mark.django_db
def test_hot_tables_leave_room_and_are_vacuumed_early():
    with connection.cursor() as cursor:
        cursor.execute("SELECT reloptions FROM pg_class WHERE relname = 'message'")
        [options] = cursor.fetchone()
    assert {"fillfactor=70", "autovacuum_vacuum_scale_factor=0.01"} <= set(options)
