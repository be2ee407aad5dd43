"""One pass of each duty, with the time it is told."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection

from queues.maintenance import (
    bury,
    deleted_queues,
    expire,
    log_partitions,
    promote,
    sessions,
    slots,
    tallies,
    totals,
)
from queues.models import Message, MessageLog, Queue, QueueSlot, QueueTally, QueueTallyDelta, State
from queues.operations import look, queues
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.factories import NOW, after, dead_letter, in_flight_message, new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db
BATCH = 100


class TestPromote:
    def test_it_makes_due_messages_ready_in_queues_nobody_polls(self):
        queue = new_queue(visibility_timeout=10)
        in_flight_message(queue)
        ready_message(queue, delay_seconds=10)
        assert promote.run_once(BATCH, after(seconds=9)) == 0
        assert promote.run_once(BATCH, after(seconds=10)) == 2
        assert set(Message.objects.values_list("state", flat=True)) == {State.READY}

    def test_it_fills_the_dead_letter_queue_of_a_queue_nobody_polls(self):
        queue = new_queue(visibility_timeout=10, max_deliveries=1)
        in_flight_message(queue)
        promote.run_once(BATCH, after(seconds=10))
        assert bury.run_once(BATCH, after(seconds=10)) == 1
        assert look.count(reloaded(queue).dlq).total == 1

    def test_it_takes_no_more_than_a_batch(self):
        queue = new_queue()
        send_many(queue, [NewMessage("x", delay_seconds=1)] * 5, NOW)
        assert promote.run_once(3, after(seconds=1)) == 3


class TestExpire:
    def test_it_removes_what_outlived_the_retention(self):
        queue = new_queue(retention_seconds=3600, queue_size=5)
        ready_message(queue, "old")
        ready_message(queue, "young", now=after(hours=2))
        assert expire.run_once(BATCH, after(hours=2)) == 1
        assert Message.objects.get().data == "young"
        assert MessageLog.objects.get().outcome == "expired"
        assert QueueSlot.objects.free(queue) == 4

    def test_it_removes_what_outlived_its_own_time(self):
        queue = new_queue()
        ready_message(queue, ttl_seconds=60, delay_seconds=30)
        assert expire.run_once(BATCH, after(seconds=60)) == 1

    def test_it_heeds_a_retention_that_was_shortened(self):
        queue = new_queue(retention_seconds=7200)
        ready_message(queue)
        assert expire.run_once(BATCH, after(minutes=110)) == 0
        queues.update(queue, retention_seconds=3600)
        assert expire.run_once(BATCH, after(minutes=110)) == 1

    def test_it_leaves_a_running_lease_alone(self):
        queue = new_queue(retention_seconds=60, visibility_timeout=3600)
        in_flight_message(queue)
        assert expire.run_once(BATCH, after(minutes=30)) == 0
        assert expire.run_once(BATCH, after(hours=1)) == 1

    def test_it_keeps_dead_letters_14_days_from_their_death(self):
        dead_letter(new_queue(max_deliveries=1), now=after(days=2))
        assert expire.run_once(BATCH, after(days=15)) == 0
        assert expire.run_once(BATCH, after(days=16)) == 1

    def test_it_removes_what_a_claim_marked_before_its_process_died(self):
        ready_message(new_queue())
        Message.objects.update(state=State.EXPIRED)
        assert bury.run_once(BATCH, NOW) == 1
        assert MessageLog.objects.get().outcome == "expired"


class TestDeletedQueues:
    def test_it_removes_the_messages_in_batches_then_the_queue(self):
        queue = new_queue(queue_size=10)
        send_many(queue, [NewMessage("x")] * 5)
        queues.delete(queue)
        assert [deleted_queues.run_once(3, NOW) for _ in range(3)] == [3, 2, 0]
        assert Queue.objects.filter(pk=queue.pk).exists()
        deleted_queues.run_once(3, after(hours=1))
        assert not Queue.objects.filter(pk=queue.pk).exists()
        assert not QueueSlot.objects.exists()
        assert set(MessageLog.objects.values_list("outcome", flat=True)) == {"queue_deleted"}

    def test_it_finds_a_message_that_was_committed_after_the_deletion(self):
        queue = new_queue()
        queues.delete(queue)
        deleted_queues.run_once(BATCH, NOW)
        ready_message(queue, "late")
        assert deleted_queues.run_once(BATCH, NOW) == 1


class TestSlots:
    def test_it_counts_again_after_a_change_of_size(self):
        queue = queues.update(new_queue(), queue_size=10)
        # A send that found the queue unbounded commits after the change.
        Message.objects.store(queue, [NewMessage("late")], [4], bounded=False, rank_step=None, now=None)
        assert QueueSlot.objects.free(queue) == 10
        assert slots.run_once(BATCH, queue.slots_unsettled_at + timedelta(seconds=11)) == 1
        assert QueueSlot.objects.free(queue) == 9
        assert slots.run_once(BATCH, queue.slots_unsettled_at + timedelta(hours=1)) == 0


class TestTallies:
    def test_it_folds_deltas_into_totals(self):
        queue = new_queue()
        for delta in (20_000, -500, 7):
            QueueTally.objects.append({queue.pk: {"live": delta}})
        assert QueueTally.objects.fold(BATCH) == 3
        assert not QueueTallyDelta.objects.exists()
        assert QueueTally.objects.estimate(queue.pk) == 19_507

    def test_it_sets_right_what_a_killed_process_never_wrote(self):
        queue = new_queue()
        send_many(queue, [NewMessage("x")] * 3)
        QueueTally.objects.append({queue.pk: {"live": 777}})
        tallies.run_once(BATCH, NOW)
        assert totals.run_once(BATCH, NOW) == 1
        assert QueueTally.objects.estimate(queue.pk) == 3


class TestLogPartitions:
    def test_it_makes_a_week_ahead(self):
        log_partitions.run_once(BATCH, NOW)
        assert {NOW.date() + timedelta(days=ahead) for ahead in range(8)} <= MessageLog.objects.days()
        assert log_partitions.run_once(BATCH, NOW) == 0

    def test_it_moves_over_what_the_default_partition_caught(self):
        delivery = in_flight_message(new_queue())
        queues.finish_batch(Queue.objects.get(), "acked", 1)
        assert rows_in("message_log_default") == 1
        log_partitions.run_once(BATCH, NOW)
        assert rows_in("message_log_default") == 0
        assert MessageLog.objects.get().message_id == delivery.id

    def test_it_clears_the_default_partition_of_what_is_too_old(self):
        in_flight_message(new_queue())
        queues.finish_batch(Queue.objects.get(), "acked", 1)
        assert log_partitions.run_once(BATCH, after(days=100)) == 9
        assert rows_in("message_log_default") == 0

    def test_it_drops_what_is_older_than_the_retention(self, settings):
        settings.SIMPLEMQ_LOG_RETENTION_DAYS = 3
        log_partitions.run_once(BATCH, NOW)
        log_partitions.run_once(BATCH, after(days=5))
        assert min(MessageLog.objects.days()) == (NOW + timedelta(days=2)).date()

    def test_with_a_lake_it_keeps_what_is_not_there(self, settings):
        settings.SIMPLEMQ_LAKE = "s3a://lake"
        log_partitions.run_once(BATCH, NOW)
        log_partitions.run_once(BATCH, after(days=100))
        assert NOW.date() in MessageLog.objects.days()

    def test_with_a_lake_what_the_default_partition_caught_gets_its_day(self, settings):
        settings.SIMPLEMQ_LAKE = "s3a://lake"
        delivery = in_flight_message(new_queue())
        queues.finish_batch(Queue.objects.get(), "acked", 1)
        log_partitions.run_once(BATCH, after(days=100))
        assert NOW.date() in MessageLog.objects.days()
        assert rows_in("message_log_default") == 0
        assert MessageLog.objects.get().message_id == delivery.id


def rows_in(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]


def test_the_command_runs_every_duty_once_and_says_what_it_did(capsys):
    call_command("run_maintenance", once=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "log_partitions",
        "promote",
        "bury",
        "fifo_nudges",
        "redrive",
        "expire",
        "deleted_queues",
        "slots",
        "tallies",
        "samples",
        "totals",
        "trash",
        "sessions",
        "error_groups",
        "old_error_groups",
        "old_metrics",
    ]


class TestSessions:
    @pytest.fixture(autouse=True)
    def four(self):
        for number in range(4):
            Session.objects.create(session_key=str(number), expire_date=after(minutes=number))

    def test_it_forgets_those_that_are_over(self):
        assert sessions.run_once(BATCH, after(minutes=2)) == 2
        assert set(Session.objects.values_list("session_key", flat=True)) == {"2", "3"}

    def test_it_takes_no_more_than_a_batch_the_oldest_first(self):
        assert sessions.run_once(1, after(hours=1)) == 1
        assert not Session.objects.filter(session_key="0").exists()
