import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues.errors import Invalid
from queues.maintenance import samples as duty
from queues.models import QueueSample, QueueTally, QueueTallyDelta
from queues.operations import queues, samples
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.factories import NOW, after, dead_letter, in_flight_message, new_queue, new_team, ready_message

pytestmark = pytest.mark.django_db


def sample_of(queue):
    return QueueSample.objects.get(queue_id=queue.pk)


class TestTake:
    def test_it_counts_what_every_queue_holds(self):
        queue, empty = new_queue(), new_queue()
        in_flight_message(queue)
        ready_message(queue)
        samples.take(after(seconds=20))
        taken = sample_of(queue)
        assert (taken.depth, taken.in_flight, round(taken.oldest_age_seconds)) == (2, 1, 20)
        assert (sample_of(empty).depth, sample_of(empty).oldest_age_seconds) == (0, None)

    def test_it_takes_the_age_of_the_oldest_message_whatever_its_priority(self):
        queue = new_queue()
        ready_message(queue, "old", now=NOW, priority=-5)
        ready_message(queue, "urgent", now=after(seconds=50), priority=5)
        samples.take(after(seconds=60))
        assert round(sample_of(queue).oldest_age_seconds) == 60

    @pytest.mark.parametrize("size", [None, 5_000])
    def test_it_estimates_what_is_too_deep_to_count(self, monkeypatch, size):
        monkeypatch.setattr("queues.managers.queue.EXACT_COUNT_OF_MANY", 3)
        queue = new_queue(queue_size=size)
        send_many(queue, [NewMessage("x")] * 5)
        QueueTally.objects.append({queue.pk: {"live": 4}})
        QueueTally.objects.fold(10)
        QueueTally.objects.append({queue.pk: {"live": 3}})
        samples.take()
        assert sample_of(queue).depth == (7 if size is None else 5)

    def test_it_leaves_deleted_queues_out(self):
        queue = new_queue()
        queues.delete(queue)
        samples.take()
        assert not QueueSample.objects.exists()

    def test_it_needs_no_more_statements_for_more_queues(self):
        team = new_team()
        new_queue(team)
        with CaptureQueriesContext(
            connection,
        ) as few:
            samples.take()
        for _ in range(30):
            new_queue(team)
        with CaptureQueriesContext(connection) as many:
            samples.take()
        assert len(many) == len(few)

    def test_the_duty_forgets_what_is_older_than_a_day(self):
        new_queue()
        assert duty.run_once(100, NOW) == 0
        duty.run_once(100, after(hours=23))
        duty.run_once(100, after(hours=25))
        assert [sample.at for sample in QueueSample.objects.order_by("at")] == [
            after(hours=23),
            after(hours=25),
        ]


class TestHistory:
    def test_it_is_empty_where_nobody_looked(self):
        history = samples.history(new_queue(), 60, NOW)
        assert history.sampled_at is None
        assert set(history.depth) == {None}
        assert len({len(history.at), len(history.depth), len(history.sent), len(history.dead_lettered)}) == 1

    def test_it_shows_the_peak_of_each_step(self):
        queue = new_queue()
        for depth, seconds in ((3, -100), (9, -95), (4, -60)):
            QueueSample.objects.create(queue_id=queue.pk, at=after(seconds=seconds), depth=depth, in_flight=0)
        history = samples.history(queue, 60, NOW)
        assert max(filter(None, history.depth)) == 9
        assert history.sampled_at == after(seconds=-60)

    def test_it_tells_an_empty_queue_from_an_unwatched_one(self):
        queue = new_queue()
        QueueSample.objects.create(queue_id=queue.pk, at=after(seconds=-60), depth=0, in_flight=0)
        assert set(samples.history(queue, 60, NOW).oldest_age) == {None, 0.0}

    def test_it_makes_rates_of_what_was_folded_and_what_was_not(self):
        queue = new_queue()
        past(queue, sent=30, acked=15, nacked=5)
        QueueTally.objects.fold(10)
        past(queue, sent=30, nacked=1)
        history = samples.history(queue, 60, NOW)
        assert sum(filter(None, history.sent)) == pytest.approx(60 / history.step_seconds)
        assert sum(filter(None, history.acked)) == pytest.approx(15 / history.step_seconds)
        assert sum(filter(None, history.nacked)) == pytest.approx(6 / history.step_seconds)

    def test_it_leaves_out_the_step_that_is_not_over(self):
        assert samples.history(new_queue(), 60, NOW).sent[-1] is None

    def test_the_inflow_of_a_dead_letter_queue_is_what_its_sources_lost(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        past(queue, dead_lettered=6)
        for one in (queue, dlq):
            history = samples.history(one, 60, NOW)
            assert sum(filter(None, history.dead_lettered)) == pytest.approx(6 / history.step_seconds)

    @pytest.mark.parametrize("minutes", [0, 1_441])
    def test_it_refuses_spans_it_does_not_keep(self, minutes):
        with pytest.raises(Invalid):
            samples.history(new_queue(), minutes)


def past(queue, **sums) -> None:
    """Something happened in the queue two minutes ago."""
    QueueTallyDelta.objects.create(queue_id=queue.pk, at=after(seconds=-120), **sums)
