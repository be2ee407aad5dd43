"""The queue as it should be, in memory and in a few lines: what the real one is compared with."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import takewhile


@dataclass
class Letter:
    """A message of the model. `place` is its place in the order of sends."""

    data: str
    priority: int
    place: int
    visible_at: datetime
    queue: "Box"
    leased: bool = False
    deliveries: int = 0
    handles: list[str] = field(default_factory=list)  # of all its leases; the last may still hold it
    held: bool = False  # whether the last handle still works
    redrives: int = 0
    before: int | None = None  # its deliveries among the dead, while a requeue can still be undone
    group: str | None = None  # whose order it is in, in a line

    def state(self, now: datetime) -> str:
        if self.visible_at <= now:
            return "ready"
        return "leased" if self.leased else "delayed"


@dataclass
class Box:
    """A queue of the model; without `max_deliveries` its messages never die."""

    max_deliveries: int | None = None
    grave: "Box | None" = None
    letters: list[Letter] = field(default_factory=list)

    def send(self, letter: Letter) -> None:
        self.letters.append(letter)

    def settle(self, now: datetime) -> None:
        """Leases that ran out come back, or were the last."""
        for letter in [letter for letter in self.letters if letter.leased and letter.visible_at <= now]:
            letter.leased = False
            if self._used_up(letter):
                self.die(letter, now)

    def receive(self, limit: int, timeout: int, now: datetime) -> list[Letter]:
        self.settle(now)
        waiting = [letter for letter in self.letters if letter.visible_at <= now]
        for letter in [letter for letter in waiting if self._used_up(letter)]:
            self.die(letter, now)
        chosen = sorted(self._alive(waiting), key=lambda letter: (-letter.priority, letter.place))[:limit]
        for letter in chosen:
            self.lease(letter, timeout, now)
        return chosen

    def lease(self, letter: Letter, timeout: int, now: datetime) -> None:
        letter.deliveries += 1
        letter.before = None
        letter.leased = True
        letter.visible_at = now + timedelta(seconds=timeout)

    def holds(self, letter: Letter, handle: str, now: datetime) -> bool:
        """Whether this handle is good for an ack: the latest is, unless the message was given back."""
        return letter.held and handle == letter.handles[-1]

    def nack(self, letter: Letter, delay: int, now: datetime) -> None:
        letter.leased = letter.held = False
        letter.visible_at = now + timedelta(seconds=delay)
        if self._used_up(letter):
            self.die(letter, now)

    def die(self, letter: Letter, now: datetime) -> None:
        assert self.grave is not None
        letter.held = letter.leased = False
        letter.visible_at = now
        self._move(letter, self.grave)

    def revive(self, letter: Letter, target: "Box", now: datetime) -> None:
        letter.held = letter.leased = False
        letter.visible_at = now
        letter.deliveries = 0
        letter.redrives += 1
        self._move(letter, target)

    def requeue(self, letter: Letter, target: "Box", now: datetime) -> None:
        deliveries = letter.deliveries
        self.revive(letter, target, now)
        letter.before = deliveries

    def pull_back(self, letter: Letter, grave: "Box", now: datetime) -> None:
        assert letter.before is not None
        letter.deliveries, letter.before = letter.before, None
        letter.redrives -= 1
        letter.visible_at = now
        self._move(letter, grave)

    def discard(self, letter: Letter) -> None:
        self.letters.remove(letter)
        letter.held = letter.leased = False
        letter.before = None

    def restore(self, letter: Letter, now: datetime) -> None:
        self.letters.append(letter)
        letter.visible_at = now

    def picture(self, now: datetime) -> set[tuple[str, str, int]]:
        return {(letter.data, letter.state(now), letter.deliveries) for letter in self.letters}

    def _used_up(self, letter: Letter) -> bool:
        return self.max_deliveries is not None and letter.deliveries >= self.max_deliveries

    def _alive(self, letters: list[Letter]) -> list[Letter]:
        return [letter for letter in letters if letter in self.letters]

    def _move(self, letter: Letter, target: "Box") -> None:
        self.letters.remove(letter)
        target.letters.append(letter)
        letter.queue = target


class Line(Box):
    """A FIFO queue of the model."""

    def deliverable(self, now: datetime) -> dict[str, list[Letter]]:
        """The letters of each group that may be delivered: in order, up to one that is not due, and none
        while somebody holds one of them."""
        self.settle(now)
        groups = {str(letter.group) for letter in self.letters}
        return {group: self._open(group, now) for group in groups}

    def holds(self, letter: Letter, handle: str, now: datetime) -> bool:
        """Only while the lease runs."""
        return super().holds(letter, handle, now) and letter.state(now) == "leased"

    def _open(self, group: str, now: datetime) -> list[Letter]:
        line = sorted((letter for letter in self.letters if letter.group == group), key=lambda x: x.place)
        if any(letter.state(now) == "leased" for letter in line):
            return []
        return list(takewhile(lambda letter: letter.state(now) == "ready", line))
