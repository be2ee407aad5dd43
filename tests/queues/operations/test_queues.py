import pytest

from queues import ids, limits
from queues.errors import Conflict, Invalid, InvalidMany, QueueNotFound, QuotaExceeded
from queues.models import Message, Queue, QueueSlot
from queues.operations import look, queues
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.values import NewMessage
from tests.factories import (
    NOW,
    dead_letter,
    in_flight_message,
    new_queue,
    new_team,
    ready_message,
    ready_messages,
    reloaded,
)

pytestmark = pytest.mark.django_db


class TestCreate:
    def test_it_has_the_documented_defaults(self):
        queue = new_queue()
        assert (queue.queue_size, queue.visibility_timeout, queue.max_deliveries) == (None, 30, 3)
        assert (queue.delay_seconds, queue.retention_seconds, queue.max_message_bytes) == (
            0,
            345_600,
            262_144,
        )

    def test_it_answers_the_same_queue_for_the_same_settings(self):
        team = new_team()
        first, is_new = queues.create(team, name="orders", queue_size=5)
        again, is_new_again = queues.create(team, name="orders", queue_size=5)
        assert (first, is_new, is_new_again) == (again, True, False)

    def test_it_refuses_the_same_name_with_other_settings(self):
        queue = new_queue(name="orders")
        with pytest.raises(Conflict):
            queues.create(queue.team, name="orders", visibility_timeout=31)

    def test_it_is_still_the_same_queue_after_its_first_dead_letter(self):
        queue = new_queue(name="orders", max_deliveries=1)
        dead_letter(queue)
        assert queues.create(queue.team, name="orders", max_deliveries=1) == (queue, False)

    def test_it_allows_the_same_name_in_another_team(self):
        assert new_queue(name="orders") != new_queue(name="orders")

    def test_it_allows_the_name_of_a_deleted_queue(self):
        old = new_queue(name="orders")
        queues.delete(old)
        assert new_queue(old.team, name="orders") != old

    def test_it_stops_at_the_team_s_quota(self):
        team = new_team()
        team.max_queues = 1
        team.save()
        new_queue(team)
        with pytest.raises(QuotaExceeded):
            new_queue(team)

    @pytest.mark.parametrize(
        "name", ["", " ", "a" * 81, "no spaces", "späti", "a.b", "a\x00", "a\n", ".fifo"]
    )
    def test_it_refuses_a_bad_name(self, name):
        with pytest.raises(Invalid) as caught:
            new_queue(name=name)
        assert caught.value.field == "queue_name"

    @pytest.mark.parametrize("name", ["a", "A-b_9", "x" * 80, "orders.fifo"])
    def test_it_accepts_a_good_name(self, name):
        assert new_queue(name=name).name == name

    @pytest.mark.parametrize(
        ("setting", "value"),
        [
            ("queue_size", 0),
            ("queue_size", 10_000_001),
            ("visibility_timeout", 43_201),
            ("visibility_timeout", None),
            ("max_deliveries", 0),
            ("delay_seconds", 345_600),
            ("retention_seconds", 59),
            ("max_message_bytes", 1_023),
            ("target_age_seconds", 0),
            ("allow_edit", 1),
            ("allow_edit", None),
            ("description", "x" * 2_001),
            ("tags", {"k": 1}),
            ("tags", {"": "v"}),
            ("tags", {f"k{n}": "v" for n in range(51)}),
            ("mode", "lifo"),
        ],
    )
    def test_it_refuses_a_bad_setting_and_names_it(self, setting, value):
        with pytest.raises(Invalid) as caught:
            new_queue(**{setting: value})
        assert caught.value.field == setting
        assert not Queue.objects.exists()


class TestCreateWithDlq:
    def test_it_makes_both(self):
        queue = queues.create_with_dlq(new_team(), name="orders", queue_size=10, max_deliveries=5)
        assert (queue.dlq.name, queue.dlq.is_dlq, queue.dlq.queue_size) == ("orders-dlq", True, 10)
        assert queue.dlq.retention_seconds == limits.DLQ_RETENTION_SECONDS

    def test_it_takes_another_name_for_the_dead_letters(self):
        assert queues.create_with_dlq(new_team(), name="orders", dlq_name="failed").dlq.name == "failed"

    def test_dead_letters_go_there(self):
        queue = queues.create_with_dlq(new_team(), name="orders", dlq_name="failed", max_deliveries=1)
        assert dead_letter(queue) == queue.dlq

    def test_it_makes_none_for_messages_that_never_die(self):
        assert queues.create_with_dlq(new_team(), name="orders", max_deliveries=None).dlq is None

    def test_it_makes_none_beside_one_that_is_named(self):
        letters = new_queue(name="letters")
        queue = queues.create_with_dlq(letters.team, name="orders", dlq=letters)
        assert (queue.dlq, queue.dlq_is_lazy) == (letters, False)

    def test_it_goes_with_its_queue(self):
        queue = queues.create_with_dlq(new_team(), name="orders")
        assert queues.delete(queue) is None
        assert not Queue.objects.live().exists()

    def test_it_is_no_setting_to_the_next_request_for_the_same_queue(self):
        queue = queues.create_with_dlq(new_team(), name="orders", max_deliveries=5)
        assert queues.create(queue.team, name="orders", max_deliveries=5) == (queue, False)

    @pytest.mark.parametrize(
        ("names", "field"),
        [
            (("taken", ""), "queue_name"),
            (("orders", "taken"), "dlq_name"),
            (("orders", "orders"), "dlq_name"),
        ],
    )
    def test_it_makes_nothing_when_a_name_is_taken(self, names, field):
        team = new_queue(name="taken").team
        with pytest.raises(Conflict) as caught:
            queues.create_with_dlq(team, name=names[0], dlq_name=names[1])
        assert caught.value.field == field
        assert [queue.name for queue in Queue.objects.all()] == ["taken"]

    def test_it_refuses_a_bad_name_for_the_dead_letters(self):
        with pytest.raises(Invalid) as caught:
            queues.create_with_dlq(new_team(), name="orders", dlq_name="no spaces")
        assert caught.value.field == "dlq_name"

    def test_it_finds_another_name_when_nobody_asked_for_one(self):
        team = new_queue(name="orders-dlq").team
        assert queues.create_with_dlq(team, name="orders").dlq.name == "orders-dlq-2"

    def test_it_needs_room_for_both(self):
        team = new_queue().team
        team.max_queues = 2
        team.save()
        with pytest.raises(QuotaExceeded, match="1 of 2 queues"):
            queues.create_with_dlq(team, name="orders")
        assert queues.create_with_dlq(team, name="orders", max_deliveries=None).pk


def test_it_says_everything_that_is_wrong_at_once():
    with pytest.raises(InvalidMany) as caught:
        new_queue(name="no spaces", mode="lifo", retention_seconds=1, backoff={"base_seconds": 0})
    fields = [field for field, _ in caught.value.problems]
    assert fields == ["queue_name", "mode", "retention_seconds", "backoff.base_seconds"]


class TestUpdateNoting:
    def test_it_tells_what_was_and_what_is(self):
        queue = new_queue(max_deliveries=3, description="old")
        letters = new_queue(queue.team, name="letters")
        _, noted = queues.update_noting(
            queue, {"max_deliveries": 5, "description": "old", "dlq": letters, "tags": {"a": "b"}}
        )
        assert noted == {"max_deliveries": (3, 5), "dlq": (None, "letters"), "tags": ({}, {"a": "b"})}

    def test_before_is_what_was_stored_not_what_the_caller_had(self):
        queue = new_queue(max_deliveries=3)
        queues.update(reloaded(queue), max_deliveries=4)
        assert queues.update_noting(queue, {"max_deliveries": 5})[1] == {"max_deliveries": (4, 5)}


class TestFind:
    def test_it_has_every_setting(self):
        backoff = {"base_seconds": 1, "factor": 2.0, "max_seconds": 60, "jitter": 0.1}
        queue = new_queue(tags={"for": "web"}, backoff=backoff, queue_size=7, description="x")
        found, stored = reloaded(queue), Queue.objects.get()
        assert vars(found) | {"_state": 0} == vars(stored) | {"_state": 0}
        assert found.tags == {"for": "web"}

    def test_it_finds_nothing_of_another_team(self):
        with pytest.raises(QueueNotFound):
            queues.find(new_team(), new_queue().public_id)

    @pytest.mark.parametrize(
        "public_id", ["", "q_", "q_1", "msg_" + "0" * 22, "q_" + "!" * 22, "q_" + "z" * 22]
    )
    def test_it_finds_nothing_of_a_made_up_id(self, public_id):
        with pytest.raises(QueueNotFound):
            queues.find(new_team(), public_id)


class TestUpdate:
    def test_it_holds_for_the_next_request(self):
        queue = new_queue()
        queues.update(queue, visibility_timeout=7, description="fast")
        assert (reloaded(queue).visibility_timeout, reloaded(queue).description) == (7, "fast")

    def test_it_checks_settings_together(self):
        queue = new_queue(delay_seconds=100)
        with pytest.raises(Invalid, match="less than retention"):
            queues.update(queue, retention_seconds=100)

    @pytest.mark.parametrize("setting", ["name", "mode", "team", "is_dlq", "uid"])
    def test_it_refuses_what_is_fixed(self, setting):
        with pytest.raises(Invalid) as caught:
            queues.update(new_queue(), **{setting: "other"})
        assert caught.value.field == setting

    def test_it_bounds_a_queue_that_holds_messages_already(self):
        queue = new_queue()
        ready_messages(queue, "1", "2", "3")
        queue = queues.update(queue, queue_size=5)
        assert len(send_many(queue, [NewMessage("x")] * 10)) == 2

    def test_it_admits_nothing_until_a_queue_is_below_its_new_bound(self):
        queue = new_queue(queue_size=10)
        send_many(queue, [NewMessage("x")] * 10)
        queue = queues.update(queue, queue_size=8)
        for _ in range(2):
            in_flight = receive(queue)
            queues.finish_batch(queue, "acked", 1, id=in_flight[0].id)
        assert send_many(queue, [NewMessage("x")] * 5) == []
        queues.purge(queue)
        assert len(send_many(queue, [NewMessage("x")] * 10)) == 8

    def test_it_unbounds_a_queue(self):
        queue = queues.update(new_queue(queue_size=1), queue_size=None)
        assert len(send_many(queue, [NewMessage("x")] * 5)) == 5
        assert not QueueSlot.objects.exists()


class TestDlqSetting:
    def test_it_marks_the_named_queue(self):
        morgue = new_queue()
        new_queue(morgue.team, dlq=morgue)
        assert reloaded(morgue).is_dlq

    def test_it_unmarks_it_when_nobody_points_there_any_more(self):
        morgue = new_queue()
        source = new_queue(morgue.team, dlq=morgue)
        queues.update(source, dlq=None)
        assert not reloaded(morgue).is_dlq

    def test_it_refuses_the_queue_itself(self):
        queue = new_queue()
        with pytest.raises(Invalid, match="its own"):
            queues.update(queue, dlq=queue)

    def test_it_refuses_a_queue_of_another_team(self):
        with pytest.raises(Invalid, match="no such queue"):
            new_queue(dlq=new_queue())

    def test_it_refuses_chains(self):
        morgue = new_queue()
        source = new_queue(morgue.team, dlq=morgue)
        with pytest.raises(Invalid, match="has a dead-letter queue itself"):
            new_queue(morgue.team, dlq=source)
        with pytest.raises(Invalid, match="cannot have one itself"):
            queues.update(reloaded(morgue), dlq=new_queue(morgue.team))


class TestDelete:
    def test_it_is_gone_at_once(self):
        queue = new_queue()
        ready_message(queue)
        queues.delete(queue)
        with pytest.raises(QueueNotFound):
            reloaded(queue)

    def test_it_is_not_deleted_twice(self):
        queue = new_queue()
        queues.delete(queue)
        with pytest.raises(QueueNotFound):
            queues.delete(queue)

    def test_it_takes_an_empty_lazy_dead_letter_queue_along(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        queues.purge(dlq)
        assert queues.delete(queue) is None
        with pytest.raises(QueueNotFound):
            reloaded(dlq)

    def test_it_keeps_a_dead_letter_queue_with_dead_letters_as_an_ordinary_one(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        assert queues.delete(queue) == dlq
        assert not reloaded(dlq).is_dlq
        assert receive(reloaded(dlq), now=NOW)

    def test_it_takes_the_dead_letters_too_when_asked(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        assert queues.delete(queue, with_dlq=True) is None
        with pytest.raises(QueueNotFound):
            reloaded(dlq)

    def test_it_keeps_a_lazy_dead_letter_queue_that_another_queue_names(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        other = new_queue(queue.team, dlq=reloaded(dlq))
        assert queues.delete(queue, with_dlq=True) == dlq
        assert reloaded(other).dlq == dlq

    def test_it_keeps_an_empty_dead_letter_queue_its_owner_named(self):
        morgue = new_queue()
        source = new_queue(morgue.team, dlq=morgue)
        assert queues.delete(source) == morgue

    def test_it_keeps_a_named_dead_letter_queue_even_when_asked(self):
        morgue = new_queue()
        source = new_queue(morgue.team, dlq=morgue)
        assert queues.delete(source, with_dlq=True) == morgue

    def test_it_makes_a_new_dead_letter_queue_after_the_old_one_was_deleted(self):
        queue = new_queue(max_deliveries=1)
        old = dead_letter(queue, "first")
        queues.delete(old)
        assert dead_letter(reloaded(queue), "second") != old


class TestPurge:
    def test_it_removes_every_message_whatever_its_state(self):
        queue = new_queue(queue_size=10)
        in_flight_message(queue)
        ready_message(queue)
        ready_message(queue, delay_seconds=60)
        assert queues.purge(queue) == 3
        assert not Message.objects.exists()
        assert QueueSlot.objects.free(queue) == 10

    def test_it_gives_back_places_by_the_bound_the_queue_has_now(self):
        queue = new_queue()
        send_many(queue, [NewMessage("x")] * 5)
        queues.update(queue, queue_size=10)
        queues.purge(queue)  # found before the change
        assert QueueSlot.objects.free(queue) == 10

    def test_it_leaves_other_queues_alone(self):
        other = new_queue()
        ready_message(other)
        queues.purge(new_queue())
        assert look.count(other).total == 1


def test_its_ids_tell_nothing_of_each_other():
    one, other = new_queue(), new_queue()
    assert one.public_id.startswith("q_")
    assert ids.decode("q", one.public_id) == one.uid
    assert one.public_id[:10] != other.public_id[:10]


def test_message_ids_are_not_guessable():
    queue = new_queue()
    one, other = send(queue, NewMessage("a")), send(queue, NewMessage("b"))
    assert one.int & (2**62 - 1) != other.int & (2**62 - 1)
    assert abs((one.int & (2**62 - 1)) - (other.int & (2**62 - 1))) > 2**32
