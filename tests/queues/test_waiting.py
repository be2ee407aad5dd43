"""The room itself. Nobody sleeps in here: a wait of no seconds says whether the ticket has been called."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from queues import shutdown
from queues.errors import TooManyWaiting
from queues.waiting import Room, Ticket

QUEUE, OTHER_QUEUE = 1, 2
TEAM, OTHER_TEAM = 10, 20


@pytest.fixture
def room() -> Room:
    return Room(most_per_team=3)


@pytest.fixture
def places() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def enter(places: ExitStack, room: Room, queue_id: int = QUEUE, team_id: int = TEAM) -> Ticket:
    return places.enter_context(room.place(queue_id, team_id))


def called(*tickets: Ticket) -> list[bool]:
    return [ticket.called.is_set() for ticket in tickets]


def test_it_wakes_those_who_came_first(room: Room, places: ExitStack) -> None:
    first, second, third = (enter(places, room) for _ in range(3))
    room.wake(QUEUE, 2)
    assert called(first, second, third) == [True, True, False]


def test_it_wakes_nobody_of_another_queue(room: Room, places: ExitStack) -> None:
    ticket = enter(places, room, OTHER_QUEUE)
    room.wake(QUEUE, 5)
    assert not room.wait(ticket, 0)


def test_it_keeps_the_place_of_one_woken_in_vain(room: Room, places: ExitStack) -> None:
    first, second = enter(places, room), enter(places, room)
    room.wake(QUEUE, 1)
    assert not room.wait(first, 0)  # got nothing, waits again
    room.wake(QUEUE, 1)
    assert called(first, second) == [True, False]


def test_it_counts_on_those_who_are_on_their_way(room: Room, places: ExitStack) -> None:
    tickets = [enter(places, room) for _ in range(3)]
    room.wake(QUEUE, 1)
    room.wake_up_to(QUEUE, 1)
    assert called(*tickets) == [True, False, False]
    room.wake_up_to(QUEUE, 2)
    assert called(*tickets) == [True, True, False]


def test_it_lets_nobody_overtake_one_that_comes_back(room: Room, places: ExitStack) -> None:
    first, second = enter(places, room), enter(places, room)
    room.wake(QUEUE, 1)
    room.wake(QUEUE, 1)  # heard of while the first one is on its way
    assert called(first, second) == [True, False]
    assert room.wait(first, 0)  # woken in vain, and again
    assert called(second) == [False]


def test_it_wakes_the_next_when_the_first_has_its_message(room: Room, places: ExitStack) -> None:
    with room.place(QUEUE, TEAM) as first:
        second = enter(places, room)
        room.wake(QUEUE, 1)
        room.wake(QUEUE, 1)
        first.served = True
    assert called(second) == [True]


def test_it_passes_on_a_wake_up_that_was_not_used(room: Room, places: ExitStack) -> None:
    with room.place(QUEUE, TEAM):
        next_one = enter(places, room)
        room.wake(QUEUE, 1)
    assert called(next_one) == [True]


def test_it_keeps_a_wake_up_that_was_used(room: Room, places: ExitStack) -> None:
    with room.place(QUEUE, TEAM) as ticket:
        next_one = enter(places, room)
        room.wake(QUEUE, 1)
        ticket.served = True
    assert called(next_one) == [False]


def test_it_says_how_many_wait_for_what(room: Room, places: ExitStack) -> None:
    for queue_id in (QUEUE, QUEUE, OTHER_QUEUE):
        enter(places, room, queue_id)
    room.wake(QUEUE, 1)
    assert room.lengths() == {QUEUE: 2, OTHER_QUEUE: 1}


def test_it_is_empty_when_all_have_left(room: Room) -> None:
    with room.place(QUEUE, TEAM), room.place(OTHER_QUEUE, OTHER_TEAM):
        room.wake_all()
    assert (room.lengths(), len(room)) == ({}, 0)


def test_it_has_so_many_places_for_a_team(room: Room, places: ExitStack) -> None:
    for queue_id in (QUEUE, QUEUE, OTHER_QUEUE):
        enter(places, room, queue_id)
    with pytest.raises(TooManyWaiting), room.place(QUEUE, TEAM):
        pass
    enter(places, room, QUEUE, OTHER_TEAM)


def test_it_has_a_place_again_when_one_leaves(room: Room, places: ExitStack) -> None:
    with room.place(QUEUE, TEAM):
        enter(places, room), enter(places, room)
    enter(places, room)


def test_nobody_waits_while_the_process_stops(
    room: Room, places: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = enter(places, room)
    monkeypatch.setattr(shutdown.stopping, "is_set", lambda: True)
    assert not room.wait(ticket, 60)
