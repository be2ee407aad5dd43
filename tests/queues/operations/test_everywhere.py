"""Finding things over many queues: by id, by words, and what became of a message that is gone."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from queues import ids
from queues.errors import SearchTooSlow
from queues.models import Message, MessageLog, Outcome, Queue, Team
from queues.operations import dead_letters, everywhere, search, trash
from queues.operations.ack import ack
from queues.operations.receive import receive
from tests.factories import dead_letter, new_queue, new_team, ready_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return new_team()


@pytest.fixture
def queue(team: Team) -> Queue:
    return new_queue(team, name="orders", max_deliveries=1)


def live(team: Team):
    return Queue.objects.live().filter(team=team)


def teams(team: Team):
    return Team.objects.filter(pk=team.pk)


class TestMessage:
    def test_it_is_found_in_its_queue_then_in_the_trash_then_nowhere(self, team, queue):
        ready_message(queue)
        uid = Message.objects.get().id
        assert everywhere.find_message(live(team), uid) == (queue, "live")
        trash.discard(queue, [ids.message_id(uid)], by="ada")
        assert everywhere.find_message(live(team), uid) == (queue, "trash")
        trash.empty(10, now=timezone.now() + timedelta(days=30))
        assert everywhere.find_message(live(team), uid) is None

    def test_it_is_not_found_in_queues_that_are_not_given(self, queue):
        ready_message(queue)
        assert everywhere.find_message(live(new_team()), Message.objects.get().id) is None


class TestEnding:
    @pytest.fixture
    def uid(self, queue: Queue):
        """Of a message that was finished just now."""
        ready_message(queue)
        [delivery] = receive(queue)
        ack(queue, [delivery.receipt_handle])
        return delivery.id

    def test_it_is_what_the_log_says(self, team, queue, uid):
        outcome, at, where = everywhere.find_ending(teams(team), uid)
        assert (outcome, where) == ("acked", queue)
        assert at == MessageLog.objects.get().finished_at

    def test_it_is_the_last_stay_that_counts(self, team, queue):
        dlq = dead_letter(queue, now=timezone.now())
        uid = Message.objects.get().id
        assert everywhere.find_ending(teams(team), uid).outcome == "dead lettered"
        dead_letters.requeue(dlq, ids.message_id(uid))
        [delivery] = receive(queue)
        ack(queue, [delivery.receipt_handle])
        assert everywhere.find_ending(teams(team), uid).outcome == "acked"

    @pytest.mark.parametrize("later", [{"minutes": 59}, {"hours": 5}, {"days": 20}])
    def test_it_is_found_however_long_the_message_lived(self, team, uid, later):
        finished = ids.drawn_at(uid) + timedelta(**later)
        MessageLog.objects.filter(message_id=uid).update(finished_at=finished)
        now = finished + timedelta(minutes=1)
        assert everywhere.find_ending(teams(team), uid, now).at == finished

    def test_it_is_not_told_to_other_teams(self, uid):
        assert everywhere.find_ending(teams(new_team()), uid) is None

    def test_the_log_is_read_from_the_send_on(self, team, uid):
        """What came before cannot be its end, and is not looked at."""
        MessageLog.objects.update(finished_at=ids.drawn_at(uid) - timedelta(minutes=2))
        assert everywhere.find_ending(teams(team), uid) is None

    @pytest.mark.parametrize("number", [0, 2**128 - 1, 2**127])
    def test_an_id_of_no_time_is_of_no_message(self, team, number):
        assert everywhere.find_ending(teams(team), everywhere.uuid.UUID(int=number)) is None

    def test_it_is_given_up_after_a_moment(self, team, queue, uid, monkeypatch):
        monkeypatch.setattr(everywhere.limits, "SEARCH_SECONDS", 0.003)
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO message_log SELECT l.* FROM message_log l, generate_series(1, 100000)"
            )
        with pytest.raises(SearchTooSlow):
            everywhere.find_ending(teams(team), uid)


class TestLetters:
    def test_those_of_every_queue_are_found_the_newest_first(self, team, queue):
        for number in range(7):
            dlq = dead_letter(queue, f"body {number}")
        other = dead_letter(new_queue(team, name="invoices", max_deliveries=1), "body of an invoice")
        found = everywhere.find_letters(live(team), search.parse("body"))
        assert [each.queue for each in found.letters] == [other, dlq]
        _, orders = found.letters
        assert [message.beginning for message in orders.messages] == [f"body {n}" for n in (6, 5, 4, 3, 2)]
        assert orders.has_more
        assert found.too_deep == []

    def test_deep_queues_come_last_and_are_named_when_there_is_no_time(self, team, queue, monkeypatch):
        shallow = dead_letter(new_queue(team, max_deliveries=1), "body")
        for number in range(3):
            deep = dead_letter(queue, f"body {number}")
        monkeypatch.setattr(everywhere, "SHALLOW", 2)
        assert everywhere._parts([deep, shallow]) == [[shallow], [deep]]

    def test_queues_without_dead_letters_are_not_read(self, team, queue):
        dlq = dead_letter(queue)
        dead_letters.requeue(dlq, Message.objects.get().public_id)
        assert everywhere._parts([dlq]) == []

    def test_what_is_not_understood_finds_nothing(self, team, queue):
        dead_letter(queue, "body")
        for text in ("colour:red body", ""):
            assert everywhere.find_letters(live(team), search.parse(text)).letters == []

    def test_it_is_given_up_after_a_moment(self, team, queue, monkeypatch):
        monkeypatch.setattr(everywhere.limits, "SEARCH_SECONDS", 0.002)
        for _ in range(30):
            dlq = dead_letter(queue, "x" * 200_000)
        assert everywhere.find_letters(live(team), search.parse("nothing like this")).too_deep == [dlq]


def test_every_outcome_can_be_worded(team, queue):
    for outcome in Outcome:
        stay = MessageLog(outcome=outcome, queue_id=queue.pk, finished_at=timezone.now())
        assert everywhere._ending(stay).outcome == outcome.replace("_", " ")
