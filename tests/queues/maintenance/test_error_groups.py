"""Folding the counts of error groups, and forgetting old ones."""

from datetime import timedelta

import pytest

from queues.maintenance import error_groups as folding
from queues.maintenance import old_error_groups as forgetting
from queues.models import ErrorGroup, ErrorGroupDelta, ErrorGroupHour, Message, Queue
from queues.operations import error_groups, queues, redrive, redrive_run, trash
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import NOW, after, new_queue, reloaded
from tests.queues.dying import counted, died_of, really_there

pytestmark = pytest.mark.django_db

BATCH = 10_000
MONTH = timedelta(days=31)


@pytest.fixture
def queue() -> Queue:
    return new_queue(max_deliveries=1, retention_seconds=31_536_000)


def dlq_of(queue: Queue) -> Queue:
    dlq = reloaded(queue).dlq
    return queues.update(dlq, retention_seconds=31_536_000)


def titles(dlq: Queue) -> list[str]:
    return [group.title for group in error_groups.groups(dlq)]


class TestFold:
    def test_it_adds_up_what_happened_and_keeps_no_delta(self, queue: Queue):
        letters = [died_of(queue, error) for error in ("TimeoutError", "TimeoutError", "BrokenPipe")]
        requeue(dlq_of(queue), letters[0].public_id, NOW)
        assert folding.run_once(BATCH) == 4
        assert not ErrorGroupDelta.objects.exists()
        assert dict(ErrorGroup.objects.values_list("error_type", "count")) == {
            "TimeoutError": 1,
            "BrokenPipe": 1,
        }

    def test_it_takes_no_more_than_a_batch_and_the_oldest_first(self, queue: Queue):
        for number in range(5):
            died_of(queue, {"type": f"Error{number}", "message": ""})
        dlq = dlq_of(queue)
        before = counted(dlq)
        for folded in (2, 4, 5):
            folding.run_once(2)
            assert counted(dlq) == before
            assert set(ErrorGroup.objects.values_list("error_type", flat=True)) == {
                f"Error{number}" for number in range(folded)
            }

    def test_it_has_nothing_to_do_twice(self, queue: Queue):
        died_of(queue)
        assert [folding.run_once(BATCH), folding.run_once(BATCH)] == [1, 0]

    def test_it_counts_hours_as_utc_has_them(self, queue: Queue):
        at = NOW.replace(hour=22, minute=59, second=59, microsecond=999_999)
        died_of(queue, now=at)
        died_of(queue, now=at + timedelta(microseconds=1))
        folding.run_once(BATCH)
        died_of(queue, now=at)
        folding.run_once(BATCH)
        rows = ErrorGroupHour.objects.order_by("bucket").values_list("bucket", "arrived")
        hour = at.replace(minute=0, second=0, microsecond=0)
        assert list(rows) == [(hour, 2), (hour + timedelta(hours=1), 1)]

    def test_leaving_changes_neither_hours_nor_title(self, queue: Queue):
        letter = died_of(queue)
        folding.run_once(BATCH)
        before = ErrorGroup.objects.values("title", "error_type", "first_seen", "last_seen").get()
        requeue(dlq_of(queue), letter.public_id, after(hours=5))
        folding.run_once(BATCH)
        assert ErrorGroup.objects.values(*before).get() == before
        assert ErrorGroupHour.objects.get().arrived == 1

    def test_a_late_delta_of_earlier_deaths_moves_only_the_beginning(self, queue: Queue):
        died_of(queue, now=after(hours=2))
        folding.run_once(BATCH)
        died_of(queue, now=after(hours=1))
        folding.run_once(BATCH)
        group = ErrorGroup.objects.get()
        assert (group.first_seen, group.last_seen) == (after(hours=1), after(hours=2))


class TestForget:
    def emptied(self, queue: Queue, letter: Message) -> Queue:
        """Its dead-letter queue, after the only letter of a group has gone back."""
        dlq = dlq_of(queue)
        requeue(dlq, letter.public_id, NOW)
        folding.run_once(BATCH)
        return dlq

    def test_it_forgets_hours_after_two_weeks(self, queue: Queue):
        died_of(queue)
        died_of(queue, now=after(days=3))
        folding.run_once(BATCH)
        forgetting.run_once(BATCH, after(days=14, hours=2))
        assert ErrorGroupHour.objects.get().bucket.date() == after(days=3).date()

    def test_it_forgets_a_group_that_is_empty_a_month_after_the_last_death(self, queue: Queue):
        self.emptied(queue, died_of(queue))
        forgetting.run_once(BATCH, after(days=29))
        assert ErrorGroup.objects.exists()
        forgetting.run_once(BATCH, after(days=31))
        assert not ErrorGroup.objects.exists()

    def test_it_keeps_a_group_with_letters(self, queue: Queue):
        died_of(queue)
        folding.run_once(BATCH)
        forgetting.run_once(BATCH, NOW + MONTH)
        assert ErrorGroup.objects.get().count == 1

    def test_it_keeps_a_group_with_a_note(self, queue: Queue):
        letter = died_of(queue)
        dlq = self.emptied(queue, letter)
        error_groups.set_note(dlq, letter.fingerprint, "call Bob", "ada")
        forgetting.run_once(BATCH, NOW + MONTH)
        assert error_groups.group(dlq, letter.fingerprint).note == "call Bob"

    def test_it_forgets_a_group_in_which_nobody_died(self, queue: Queue):
        """Its last letter was only ever brought back, after the group had been forgotten."""
        letter = died_of(queue)
        dlq = self.emptied(queue, letter)
        forgetting.run_once(BATCH, NOW + MONTH)
        undo_requeue(dlq, letter.public_id, NOW + MONTH)
        folding.run_once(BATCH)
        trash.discard(dlq, [letter.public_id], by="ada", now=NOW + MONTH)
        folding.run_once(BATCH)
        assert ErrorGroup.objects.get().last_seen is None
        forgetting.run_once(BATCH, NOW + MONTH)
        assert not ErrorGroup.objects.exists()

    def test_what_waits_to_be_folded_makes_a_forgotten_group_anew(self, queue: Queue):
        letter = died_of(queue)
        dlq = self.emptied(queue, letter)
        undo_requeue(dlq, letter.public_id, NOW + MONTH)
        forgetting.run_once(BATCH, NOW + MONTH)
        assert counted(dlq) == really_there(dlq)
        folding.run_once(BATCH)
        assert counted(dlq) == really_there(dlq) == {letter.fingerprint: 1}


class TestTitleOfAForgottenGroup:
    """Who comes into a group that was forgotten brings its title along."""

    TITLE = "No error reported: an object with order"

    @pytest.fixture
    def letter(self, queue: Queue) -> Message:
        return died_of(queue, None, '{"order": 1}')

    def forget(self) -> None:
        folding.run_once(BATCH)
        forgetting.run_once(BATCH, NOW + MONTH)
        assert not ErrorGroup.objects.exists()

    def test_when_a_requeue_is_undone(self, queue: Queue, letter: Message):
        dlq = dlq_of(queue)
        requeue(dlq, letter.public_id, NOW)
        self.forget()
        undo_requeue(dlq, letter.public_id, NOW)
        assert titles(dlq) == [self.TITLE]

    def test_when_a_redrive_is_undone(self, queue: Queue, letter: Message):
        dlq = dlq_of(queue)
        task = redrive.start(dlq, now=NOW)
        redrive_run.advance(task.pk, 10, NOW)
        self.forget()
        assert redrive.undo(task, NOW) == 1
        assert titles(dlq) == [self.TITLE]

    def test_when_a_letter_is_restored(self, queue: Queue, letter: Message):
        dlq = dlq_of(queue)
        trash.discard(dlq, [letter.public_id], by="ada", now=NOW)
        self.forget()
        trash.restore(dlq, [letter.public_id], NOW)
        assert titles(dlq) == [self.TITLE]

    def test_when_a_message_dies_again(self, queue: Queue, letter: Message):
        dlq = dlq_of(queue)
        requeue(dlq, letter.public_id, NOW)
        self.forget()
        [delivery] = receive(queue, now=NOW)
        nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW)
        assert titles(dlq) == [self.TITLE]
