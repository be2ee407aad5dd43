"""The room where requests wait for messages: one per process, a line for each queue, in order of arrival.

Nobody in here holds a database connection. Whoever learns of a message wakes those at the head of its line;
one that was woken in vain goes back to the place it had. A wake-up is a hint, never a promise: the woken
ask the database, and a wake-up that was lost is made up for by the next probe.
"""

import sys
import threading
from bisect import insort
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from operator import attrgetter
from typing import Any

from django.db import connection

from queues import limits, shutdown
from queues.errors import TooManyWaiting

_arrival = attrgetter("number")


@dataclass(eq=False, slots=True)
class Ticket:
    """A place in the line of a queue."""

    number: int
    queue_id: int
    team_id: int
    called: threading.Event = field(default_factory=threading.Event)
    served: bool = False  # it got what it was woken for


@dataclass(slots=True)
class _Line:
    parked: list[Ticket] = field(default_factory=list)
    called: int = 0  # woken, and not back or gone yet
    # Messages heard of since. Woken for them at once, a later ticket could overtake one that comes back.
    owed: int = 0

    def call(self, number: int) -> None:
        first, self.parked = self.parked[:number], self.parked[number:]
        self.called += len(first)
        for ticket in first:
            ticket.called.set()

    def come_back(self, pass_on: bool) -> None:
        """One that was called is back or gone; what is left for it to pass on goes to the first in line."""
        self.called -= 1
        if self.owed or pass_on:
            self.owed = max(self.owed - 1, 0)
            self.call(1)


class Room:
    def __init__(self, most_per_team: int = limits.WAITING_POLLS_PER_TEAM) -> None:
        self.most_per_team = most_per_team
        self._lock = threading.Lock()
        self._numbers = count(1)
        self._lines: dict[int, _Line] = {}
        self._of_team: Counter[int] = Counter()

    @contextmanager
    def place(self, queue_id: int, team_id: int) -> Iterator[Ticket]:
        """A place at the end of the queue's line, given up when the block ends."""
        ticket = self._enter(queue_id, team_id)
        try:
            yield ticket
        finally:
            self._leave(ticket)

    def wait(self, ticket: Ticket, seconds: float) -> bool:
        """Whether it was woken in time. Called again after a wake-up in vain, it goes back to its place."""
        with self._lock:
            if ticket.called.is_set():
                ticket.called.clear()
                line = self._lines[ticket.queue_id]
                insort(line.parked, ticket, key=_arrival)
                line.come_back(pass_on=False)
        let_go_of_the_database()
        # Asked after parking: a stop before that is seen here, a later one wakes this ticket too.
        if shutdown.stopping.is_set():
            return False
        return ticket.called.wait(max(seconds, 0)) and not shutdown.stopping.is_set()

    def wake(self, queue_id: int, messages: int) -> None:
        """For new messages: as many of those who came first, once the ones on their way are back."""
        with self._lock:
            line = self._lines.get(queue_id)
            if line and line.called:
                line.owed += messages
            elif line:
                line.call(messages)

    def wake_up_to(self, queue_id: int, messages: int) -> None:
        """For all the messages there are; those on their way already will take theirs."""
        with self._lock:
            line = self._lines.get(queue_id)
            if line:
                line.owed = 0
                line.call(max(messages - line.called, 0))

    def wake_line(self, queue_id: int) -> None:
        self.wake_up_to(queue_id, sys.maxsize)

    def wake_all(self) -> None:
        for queue_id in self.lengths():
            self.wake_line(queue_id)

    def lengths(self) -> dict[int, int]:
        """How many wait for each queue, those on their way included."""
        with self._lock:
            return {queue_id: len(line.parked) + line.called for queue_id, line in self._lines.items()}

    def __len__(self) -> int:
        return self._of_team.total()

    def _enter(self, queue_id: int, team_id: int) -> Ticket:
        with self._lock:
            if self._of_team[team_id] >= self.most_per_team:
                raise TooManyWaiting()
            self._of_team[team_id] += 1
            ticket = Ticket(next(self._numbers), queue_id, team_id)
            self._lines.setdefault(queue_id, _Line()).parked.append(ticket)
            return ticket

    def _leave(self, ticket: Ticket) -> None:
        with self._lock:
            self._of_team[ticket.team_id] -= 1
            line = self._lines[ticket.queue_id]
            if ticket.called.is_set():  # hung up, too late or refused, it leaves its message to the next
                line.come_back(pass_on=not ticket.served)
            else:
                line.parked.remove(ticket)
            self._sweep(ticket)

    def _sweep(self, ticket: Ticket) -> None:
        line = self._lines[ticket.queue_id]
        if not line.parked and not line.called:
            del self._lines[ticket.queue_id]
        if not self._of_team[ticket.team_id]:
            del self._of_team[ticket.team_id]


def let_go_of_the_database() -> None:
    """The pool lends a connection until it is closed. In a transaction, where only tests wait, it stays."""
    if not connection.in_atomic_block:
        connection.close()


room = Room()


def notice(event: str, facts: dict[str, Any]) -> None:
    """Wake those whom a fact of this process concerns; of other processes the probe learns."""
    match event:
        case "message.sent" | "message.moved_in" | "message.returned" | "message.nacked":
            room.wake(facts["queue"].pk, facts["count"])
        case "message.finished" | "message.moved_out" if facts["queue"].is_fifo:  # others of the group waited
            room.wake(facts["queue"].pk, facts["count"])
        case "queue.resumed":  # how many messages there are, the first one or the probe will see
            room.wake(facts["queue"].pk, 1)
        case "queue.deleted":
            room.wake_line(facts["queue"].pk)
