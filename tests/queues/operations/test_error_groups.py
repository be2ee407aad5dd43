"""What is shown of error groups: their order, titles and times, samples, sparklines and notes."""

from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError

from queues import fingerprints as prints
from queues.errors import ErrorGroupNotFound, Invalid
from queues.models import ErrorGroup, ErrorGroupDelta, Message, Queue, State
from queues.operations import error_groups, queues, redrive, redrive_run, trash
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import NOW, after, in_flight_message, new_queue, ready_message, reloaded
from tests.queues.dying import BROKEN, SILENT, TIMEOUT, Morgue, counted, died_of, fold

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def morgue() -> Morgue:
    return Morgue()


def test_it_shows_the_largest_group_first(morgue: Morgue):
    assert next(iter(morgue.titles())) == TIMEOUT
    requeue(morgue.dlq, morgue.timeouts[0].public_id, NOW)
    requeue(morgue.dlq, morgue.timeouts[1].public_id, NOW)
    died_of(morgue.source, "BrokenPipe")
    assert next(iter(morgue.titles())) == BROKEN


def test_what_was_sent_to_a_dead_letter_queue_is_in_no_group(morgue: Morgue):
    assert Message.objects.filter(queue_id=morgue.dlq.pk).count() == 6
    assert error_groups.dead_count(morgue.dlq) == 5


def test_each_queue_has_its_own(morgue: Morgue):
    other = new_queue(morgue.source.team, max_deliveries=1)
    died_of(other, "TimeoutError")
    fold()
    other = reloaded(other).dlq
    empty = new_queue()
    assert error_groups.dead_counts([morgue.dlq, other, empty]) == {
        morgue.dlq.pk: 5,
        other.pk: 1,
        empty.pk: 0,
    }


@pytest.mark.parametrize("folds", [False, True])
def test_it_says_when_the_first_and_the_last_died(folds: bool):
    queue = new_queue(max_deliveries=1)
    for hours in (2, 1, 3):
        died_of(queue, "TimeoutError", now=after(hours=hours))
        if folds:
            fold()
    [group] = error_groups.groups(reloaded(queue).dlq)
    assert (group.first_seen, group.last_seen) == (after(hours=1), after(hours=3))


@pytest.mark.parametrize("folds", [False, True])
def test_who_comes_back_did_not_die_just_now(folds: bool):
    queue = new_queue(max_deliveries=1)
    letter = died_of(queue, "TimeoutError")
    dlq = reloaded(queue).dlq
    trash.discard(dlq, [letter.public_id], by="ada", now=after(hours=1))
    trash.restore(dlq, [letter.public_id], after(hours=2))
    requeue(dlq, letter.public_id, after(hours=3))
    undo_requeue(dlq, letter.public_id, after(hours=4))
    if folds:
        fold()
    [group] = error_groups.groups(dlq)
    assert (group.count, group.first_seen, group.last_seen) == (1, NOW, NOW)
    assert sum(error_groups.sparklines(dlq, [group.fingerprint], 24, after(hours=5))[group.fingerprint]) == 1


@pytest.mark.parametrize("folds", [False, True])
def test_the_newest_letter_gives_the_title(folds: bool):
    queue = new_queue(max_deliveries=1)
    for number in (1, 2):
        report = {"type": "TimeoutError", "message": f"order {number} failed\nwith details"}
        died_of(queue, report)
        if folds:
            fold()
    [group] = error_groups.groups(reloaded(queue).dlq)
    assert (group.title, group.error_type, group.count) == ("TimeoutError: order 2 failed", "TimeoutError", 2)


def test_an_empty_group_is_not_listed_but_can_be_asked_for(morgue: Morgue):
    requeue(morgue.dlq, morgue.broken.public_id, NOW)
    fold()
    assert BROKEN not in morgue.titles()
    group = error_groups.group(morgue.dlq, morgue.broken.fingerprint)
    assert (group.count, group.title) == (0, BROKEN)
    assert error_groups.group(morgue.dlq, "of nobody") is None


def test_a_guess_is_one(morgue: Morgue):
    by_title = {group.title: group for group in error_groups.groups(morgue.dlq)}
    assert [by_title[title].is_guess for title in (TIMEOUT, BROKEN, SILENT)] == [False, False, True]


def test_a_lease_that_ran_out_is_a_guess_too():
    queue = new_queue(max_deliveries=1, visibility_timeout=10)
    in_flight_message(queue, '{"order": 1}')
    receive(queue, now=after(seconds=10))
    [group] = error_groups.groups(reloaded(queue).dlq)
    assert (group.is_guess, group.error_type) == (True, "LeaseExpired")
    assert group.title == "No error reported: an object with order"


def test_who_dies_twice_without_a_word_is_guessed_at_anew():
    """The queue it died in is part of the guess."""
    source = new_queue(max_deliveries=1)
    other = new_queue(source.team, max_deliveries=1)
    letter = died_of(source, None)
    dlq = reloaded(source).dlq
    task = redrive.start(dlq, target=other, now=NOW)
    redrive_run.advance(task.pk, 10, NOW)
    [delivery] = receive(other, now=NOW)
    nack(other, delivery.message_id, delivery.receipt_handle, now=NOW)
    [group] = error_groups.groups(reloaded(other).dlq)
    assert group.fingerprint == prints.of_shape(other.pk, "{}") != letter.fingerprint
    assert group.title == SILENT


def test_what_never_died_has_no_group_when_it_is_restored(morgue: Morgue):
    ready_message(morgue.source, '{"alive": true}')
    message = Message.objects.get(queue_id=morgue.source.pk)
    trash.discard(morgue.source, [message.public_id], by="ada", now=NOW)
    trash.restore(morgue.source, [message.public_id], NOW)
    assert Message.objects.get(id=message.id).fingerprint is None
    assert error_groups.groups(morgue.source) == []


def test_who_died_before_there_were_groups_gets_one_when_it_comes_back(morgue: Morgue):
    Message.objects.filter(id=morgue.silent.id).update(fingerprint=None)
    trash.discard(morgue.dlq, [morgue.silent.public_id], by="ada", now=NOW)
    ErrorGroup.objects.all().delete()
    ErrorGroupDelta.objects.all().delete()
    trash.restore(morgue.dlq, [morgue.silent.public_id], NOW)
    assert counted(morgue.dlq) == {prints.of_shape(morgue.source.pk, "{}"): 1}
    assert Message.objects.get(id=morgue.silent.id).fingerprint == morgue.silent.fingerprint


def test_it_shows_no_more_than_it_can():
    dlq = new_queue()
    ErrorGroup.objects.bulk_create(
        ErrorGroup(queue_id=dlq.pk, fingerprint=f"f{number}", count=number) for number in range(1, 301)
    )
    ErrorGroupDelta.objects.create(queue_id=dlq.pk, fingerprint="f1", count=400)
    ErrorGroupDelta.objects.create(queue_id=dlq.pk, fingerprint="f300", count=-299)
    found = error_groups.groups(dlq)
    assert [group.count for group in found] == [401, *range(299, 100, -1)]
    assert error_groups.dead_count(dlq) == sum(range(301)) + 101


# --- samples ----------------------------------------------------------------------------------------


def sampled(dlq: Queue, fingerprint: str) -> list[str]:
    return [sample.message_id for sample in error_groups.samples(dlq, [fingerprint]).get(fingerprint, [])]


def test_what_has_expired_is_no_sample(morgue: Morgue):
    Message.objects.filter(id=morgue.broken.id).update(state=State.EXPIRED)
    assert sampled(morgue.dlq, morgue.broken.fingerprint) == []


# --- sparklines -------------------------------------------------------------------------------------


@pytest.mark.parametrize("folds", [False, True])
def test_a_sparkline_counts_deaths_by_the_hour(folds: bool):
    start = NOW.replace(minute=0, second=0, microsecond=0)
    queue = new_queue(max_deliveries=1)

    def died_at(moment: datetime) -> str:
        return died_of(queue, "TimeoutError", now=moment).fingerprint

    fingerprint = died_at(start + timedelta(minutes=59, seconds=59))
    died_at(start + HOUR)
    died_at(start + HOUR + timedelta(minutes=30))
    died_at(start + 3 * HOUR)
    if folds:
        fold()
    died_at(start + 3 * HOUR + timedelta(minutes=1))
    dlq = reloaded(queue).dlq
    now = start + 3 * HOUR + timedelta(minutes=10)
    assert error_groups.sparklines(dlq, [fingerprint], 5, now) == {fingerprint: [0, 1, 2, 0, 2]}
    assert error_groups.sparklines(dlq, [fingerprint], 2, now) == {fingerprint: [0, 2]}


def test_a_group_of_which_nobody_died_lately_has_a_flat_line(morgue: Morgue):
    assert error_groups.sparklines(morgue.dlq, ["unknown"], 3, NOW) == {"unknown": [0, 0, 0]}
    assert error_groups.sparklines(morgue.dlq, [], 3, NOW) == {}


# --- notes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folds", [False, True])
def test_a_note_stays_whatever_happens_to_the_letters(folds: bool, morgue: Morgue):
    fingerprint = morgue.broken.fingerprint
    if folds:
        fold()
    error_groups.set_note(morgue.dlq, fingerprint, "  call Bob ", "ada", NOW)
    died_of(morgue.source, "BrokenPipe")
    queues.purge(morgue.dlq)
    fold()
    group = error_groups.group(morgue.dlq, fingerprint)
    assert (group.note, group.noted_by, group.count, group.title) == ("call Bob", "ada", 0, BROKEN)


def test_a_note_can_be_taken_away(morgue: Morgue):
    for text in ("call Bob", "  "):
        error_groups.set_note(morgue.dlq, morgue.broken.fingerprint, text, "ada", NOW)
    group = error_groups.group(morgue.dlq, morgue.broken.fingerprint)
    assert (group.note, group.noted_by) == ("", "")


def test_a_note_needs_a_group_of_this_queue(morgue: Morgue):
    other = died_of(new_queue(max_deliveries=1), "OtherError")
    with pytest.raises(ErrorGroupNotFound):
        error_groups.set_note(morgue.dlq, other.fingerprint, "call Bob", "ada")


def test_a_note_has_a_limit(morgue: Morgue):
    with pytest.raises(Invalid):
        error_groups.set_note(morgue.dlq, morgue.broken.fingerprint, "x" * 2_001, "ada")


# --- hostile fingerprints ---------------------------------------------------------------------------

HOSTILE = [
    "'; DROP TABLE message; --",
    '"><script>alert(1)</script>',
    "%(queue_id)s %s %%",
    "\u202etxt",
    "💥" * 64,
    "shape:v1:mine",
    " ",
    "\\",
    "a\nb\tc",
]


@pytest.mark.parametrize("fingerprint", HOSTILE)
def test_any_fingerprint_a_client_gives_is_a_group(fingerprint: str):
    queue = new_queue(max_deliveries=1)
    report = {"type": "T", "message": "m", "fingerprint": fingerprint}
    letters = [died_of(queue, report) for _ in range(2)]
    dlq = reloaded(queue).dlq
    fold()
    requeue(dlq, letters[0].public_id, NOW)
    assert counted(dlq) == {fingerprint: 1}
    assert sampled(dlq, fingerprint) == [letters[1].public_id]
    assert sum(error_groups.sparklines(dlq, [fingerprint], 24, NOW)[fingerprint]) == 2
    error_groups.set_note(dlq, fingerprint, fingerprint, "ada")
    assert error_groups.group(dlq, fingerprint).note == fingerprint.strip()


@pytest.mark.parametrize("fingerprint", ["\x00", "a\x00b", "\ud800", "x" * 100_000])
def test_an_address_may_ask_for_anything(fingerprint: str, morgue: Morgue):
    assert error_groups.group(morgue.dlq, fingerprint) is None
    assert sampled(morgue.dlq, fingerprint) == []
    assert not any(map(any, error_groups.sparklines(morgue.dlq, [fingerprint]).values()))
    with pytest.raises(ErrorGroupNotFound):
        error_groups.set_note(morgue.dlq, fingerprint, "note", "ada")


def test_a_title_is_cut_and_has_one_line():
    queue = new_queue(max_deliveries=1)
    died_of(queue, {"type": "T" * 200, "message": "\n \r\n" + "m" * 4_000})
    [group] = error_groups.groups(reloaded(queue).dlq)
    assert group.title == ("T" * 200 + ": " + "m" * 300)[:300]


@pytest.mark.parametrize("data", ['{"a\\u0000b": 1}', '{"\\ud800": 1}', "[" * 50_000, "\u202e", "x" * 70_000])
def test_a_hostile_body_has_a_group_too(data: str):
    queue = new_queue(max_deliveries=1)
    died_of(queue, None, data)
    [group] = error_groups.groups(reloaded(queue).dlq)
    assert (group.is_guess, group.count) == (True, 1)
    assert group.title.startswith("No error reported: ")


def test_a_group_is_there_once(morgue: Morgue):
    fold()
    with pytest.raises(IntegrityError):
        ErrorGroup.objects.create(queue_id=morgue.dlq.pk, fingerprint=morgue.broken.fingerprint)
