"""The schema goes forward and back, and what raw SQL made is what the models say."""

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from queues import fingerprints
from queues.maintenance import error_groups as folding
from queues.models import (
    ErrorGroup,
    ErrorGroupDelta,
    ErrorGroupHour,
    Message,
    MessageLog,
    Queue,
    QueueMetrics,
)
from queues.operations import error_groups
from queues.operations.dead_letters import requeue
from tests.factories import NOW, new_queue, ready_message, reloaded
from tests.metrics_factories import bucket, metrics_point
from tests.queues.dying import counted, died_of, really_there


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


@pytest.mark.django_db
def test_messages_have_no_statistics_that_could_be_out_of_date():
    ready_message(new_queue())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE message")
        cursor.execute("SELECT attname FROM pg_stats WHERE tablename = 'message'")
        assert cursor.fetchall() == []


@pytest.mark.django_db
class TestExistingDeadLetters:
    """Letters that died before there were groups: rows as the code of that time left them."""

    HOUR = NOW.replace(minute=0, second=0, microsecond=0)

    @pytest.fixture
    def source(self) -> Queue:
        return new_queue(name="orders", max_deliveries=1)

    @pytest.fixture
    def dlq(self, source: Queue) -> Queue:
        return new_queue(source.team, name="dead")

    @pytest.fixture
    def bury(self, source: Queue, dlq: Queue) -> Callable[..., Message]:
        def bury(minutes: float = 0, data: str = "{}", **fields: Any) -> Message:
            at = self.HOUR + timedelta(minutes=minutes)
            known = {"queue_id": dlq.pk, "source_queue_id": source.pk, "dead_lettered_at": at, "data": data}
            return Message.objects.create(**known, size_bytes=len(data), **fields)

        return bury

    def migrate(self) -> None:
        """What the migration does, on the tables of today: the living code beside it needs them."""
        migration = import_module("queues.migrations.0008_existing_dead_letters")
        with connection.schema_editor(atomic=False) as editor:
            migration.count_them(apps, editor)

    def test_it_counts_them(self, bury: Callable[..., Message], dlq: Queue):
        error = {"type": "TimeoutError", "message": "\n no luck\nat all"}
        for minutes in (5, 59, 60):
            bury(minutes, fingerprint="f1", error_type="TimeoutError", last_error=error)
        bury(7, fingerprint="f2", last_error={"message": "gone"})
        Message.objects.create(queue_id=dlq.pk, data="sent by hand", size_bytes=1)
        self.migrate()
        assert counted(dlq) == really_there(dlq) == {"f1": 3, "f2": 1}
        one, other = error_groups.groups(dlq)
        assert (one.title, one.error_type, other.title) == ("TimeoutError: no luck", "TimeoutError", "gone")
        assert (one.first_seen, one.last_seen) == (
            self.HOUR + timedelta(minutes=5),
            self.HOUR + timedelta(minutes=60),
        )
        now = self.HOUR + timedelta(minutes=61)
        assert error_groups.sparklines(dlq, ["f1", "f2"], 3, now) == {"f1": [0, 2, 1], "f2": [0, 1, 0]}

    @pytest.mark.parametrize(
        "data", ["{}", "", "[" * 9_000, '{"a\\u0000b": "\\ud800"}', "\u202e", "x" * 70_000]
    )
    def test_it_guesses_as_the_living_code_does(self, bury, source: Queue, dlq: Queue, data: str):
        bury(data=data)
        self.migrate()
        living = died_of(source, None, data)
        [group] = error_groups.groups(dlq)
        [expected] = error_groups.groups(reloaded(source).dlq)
        assert (group.fingerprint, group.title) == (living.fingerprint, expected.title)
        assert group.is_guess

    def test_it_goes_in_batches(self, bury, dlq: Queue, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("queues.migrations.0008_existing_dead_letters.BATCH", 2)
        for number in range(5):
            bury(data=f'{{"key{chr(97 + number)}": 1}}')
        self.migrate()
        assert counted(dlq) == really_there(dlq)
        assert len(counted(dlq)) == 5
        assert {group.title for group in error_groups.groups(dlq)} == {
            f"No error reported: an object with key{chr(97 + number)}" for number in range(5)
        }

    def test_it_finds_nothing_to_add_to_what_is_counted(self, source: Queue):
        letters = [died_of(source, error) for error in ("TimeoutError", "TimeoutError", None)]
        folding.run_once(1)
        requeue(reloaded(source).dlq, letters[0].public_id)
        before = self.everything()
        self.migrate()
        assert self.everything() == before

    def test_it_completes_what_is_half_counted(self, bury, source: Queue, dlq: Queue):
        """The code that counts ran before this did: old letters have left, new ones have come."""
        Queue.objects.filter(pk=source.pk).update(dlq=dlq)
        Queue.objects.filter(pk=dlq.pk).update(is_dlq=True)
        source = reloaded(source)
        stack = {"type": "TimeoutError", "message": "no luck"}
        same = fingerprints.of("TimeoutError", "no luck")
        old = [bury(minutes, fingerprint=same, last_error=stack) for minutes in (1, 2, 3)]
        silent = [bury(minutes) for minutes in (4, 5)]
        requeue(dlq, old[0].public_id)
        requeue(dlq, silent[0].public_id)
        folding.run_once(1_000)
        died_of(source, None, now=NOW)
        self.migrate()
        assert counted(dlq) == really_there(dlq)
        assert sum(counted(dlq).values()) == 4

    def test_a_second_time_it_adds_nothing(self, bury, dlq: Queue):
        for data in ("{}", "[]"):
            bury(data=data)
        self.migrate()
        before = self.everything()
        self.migrate()
        assert self.everything() == before

    def everything(self) -> list[Any]:
        tables = (ErrorGroup, ErrorGroupDelta, ErrorGroupHour, Message)
        return [list(table._default_manager.order_by("id").values()) for table in tables]


@pytest.mark.django_db
def test_history_from_before_the_rate_of_deaths_gets_it():
    queue = new_queue()
    metrics_point(queue, bucket(), dead_lettered=6)
    metrics_point(queue, bucket(1))
    with connection.cursor() as cursor:
        cursor.execute(import_module("queues.migrations.0015_metrics_rates").KNOWN)
    rates = QueueMetrics.objects.order_by("bucket_start").values_list("dead_lettered_per_second", flat=True)
    assert list(rates) == [0, 0.02]
