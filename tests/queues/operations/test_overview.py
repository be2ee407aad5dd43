import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues.models import Queue, QueueTally
from queues.operations import queues
from queues.operations.overview import health, overview
from tests.factories import (
    NOW,
    after,
    dead_letter,
    in_flight_message,
    new_queue,
    new_team,
    ready_message,
    ready_messages,
    reloaded,
)

pytestmark = pytest.mark.django_db


def codes(queue, now=NOW) -> list[str]:
    return [problem.code for problem in health(queue, now).problems]


def test_it_tells_what_a_queue_holds():
    queue = new_queue()
    ready_message(queue)
    in_flight_message(queue)
    found = health(queue, after(seconds=10))
    assert (found.depth, found.in_flight, found.dead, found.exact) == (2, 1, 0, True)


def test_a_busy_queue_has_no_problem():
    queue = new_queue(queue_size=100, target_age_seconds=60)
    ready_message(queue)
    assert codes(queue, after(seconds=10)) == []


def test_dead_letters_are_a_problem_of_their_source_and_of_their_queue():
    queue = new_queue(max_deliveries=1)
    dlq = dead_letter(queue)
    assert codes(reloaded(queue)) == ["dead"]
    assert codes(dlq) == ["dead"]
    assert health(reloaded(queue)).problems[0].text == "1 dead letter"


def test_a_message_older_than_the_target_is_a_problem():
    queue = new_queue(target_age_seconds=60)
    ready_message(queue)
    assert codes(queue, after(seconds=59)) == []
    assert health(queue, after(seconds=90)).problems[0].text == "Oldest waits 90 s, target 60 s"


def test_a_queue_that_is_almost_full_is_a_problem():
    queue = new_queue(queue_size=3)
    ready_messages(queue, "a", "b")
    assert codes(queue) == []
    ready_message(queue, "c")
    assert codes(queue) == ["full"]


def test_a_paused_queue_is_a_problem_but_does_not_lack_consumers():
    queue = new_queue()
    ready_message(queue)
    queues.pause(queue)
    assert codes(queue, after(minutes=10)) == ["paused"]


class TestConsumers:
    def test_nobody_received_for_five_minutes(self):
        queue = new_queue()
        ready_message(queue)
        assert codes(queue, after(minutes=4)) == []
        assert codes(queue, after(minutes=6)) == ["no_consumers"]

    def test_somebody_did(self):
        queue = new_queue()
        ready_message(queue)
        QueueTally.objects.append({queue.pk: {"received": 1}})
        assert codes(queue, after(minutes=4.9)) == []
        QueueTally.objects.fold(10)
        assert codes(queue, after(minutes=4.5)) == []

    def test_an_empty_queue_needs_none(self):
        assert codes(new_queue(), after(days=1)) == []

    def test_a_dead_letter_queue_needs_none(self):
        dlq = dead_letter(new_queue(max_deliveries=1))
        assert codes(dlq, after(days=1)) == ["dead"]


def test_problem_queues_come_first():
    team = new_team()
    new_queue(team, name="a-fine")
    queues.pause(new_queue(team, name="b-paused"))
    dead_letter(new_queue(team, name="c-failing", max_deliveries=1))
    found = [health.queue.name for health in overview(Queue.objects.filter(team=team, is_dlq=False))]
    assert found == ["c-failing", "b-paused", "a-fine"]


def test_it_needs_no_more_statements_for_more_queues():
    team = new_team()
    for _ in range(40):
        dead_letter(new_queue(team, max_deliveries=1))
    with CaptureQueriesContext(connection) as statements:
        assert len(overview(Queue.objects.live())) == 80
    assert len(statements) == 2
