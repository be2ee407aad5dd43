"""Made-up history that looks real: waves of the day, a quiet weekend, and three incidents of the last day.

Pure: from a seed to how many messages of each queue end in each hour, and how they fare. A message and its
times are drawn by the database, from what a `Stretch` says of its queue.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta
from functools import cached_property
from math import pi, sin
from random import Random
from typing import Any

from queues import fingerprints

HOUR = timedelta(hours=1)
BUSIEST_HOUR = 15
WEEKEND = 0.35
SATURDAY = 5

SERVICES = "orders payments emails invoices shipments search images webhooks reports inventory".split()
EVENTS = "created changed sync export cleanup".split()

USUAL_ERRORS = (
    ("TimeoutError", "The upstream did not answer within 10 s"),
    ("ConnectionResetError", "Connection reset by peer"),
    ("HTTPError", "502 Bad Gateway"),
    ("IntegrityError", "Duplicate key value violates a unique constraint"),
)
DEPLOY_ERROR = ("KeyError", "'customer_ref'")
POISON_ERROR = ("JSONDecodeError", "Expecting value: line 1 column 1 (char 0)")
ERRORS = (*USUAL_ERRORS, DEPLOY_ERROR, POISON_ERROR)


@dataclass(frozen=True, slots=True)
class Habits:
    """How a queue's messages fare in an hour. Shares and chances are of 1, times in seconds."""

    processing_median: float
    processing_spread: float  # of a log-normal distribution
    wait_mean: float
    failing: float  # the chance of a delivery to fail
    poisoned: float  # the share that fails every time
    ignored: float  # the share that nobody takes before it expires
    tenants: int  # who share the queue; 0: messages have no group
    noisy: float = 0.0  # the share of the noisy tenant
    first_error: int = 1  # what failures report, as the database counts: from 1
    errors: int = len(USUAL_ERRORS)


@dataclass(frozen=True, slots=True)
class Incident:
    """Hours of the last day, counted back from the end, in which some queues have trouble."""

    title: str
    begins: int
    ends: int
    queues: frozenset[int]

    def strikes(self, queue: int, hours_left: int) -> bool:
        return queue in self.queues and self.ends < hours_left <= self.begins


@dataclass(frozen=True, slots=True)
class Stretch:
    """An hour: for each queue that has messages in it, how many end and how they fare."""

    starts_at: datetime
    seed: float
    queues: list[int]
    messages: list[int]
    habits: list[Habits]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The habits turned round: a list for each of them, as long as there are queues."""
        rows = [asdict(habits) for habits in self.habits]
        return {field.name: [row[field.name] for row in rows] for field in fields(Habits)}


@dataclass(frozen=True)
class Story:
    queues: int
    messages: int
    days: int
    until: datetime
    seed: int

    @property
    def since(self) -> datetime:
        return self.until - timedelta(days=self.days)

    @cached_property
    def shares(self) -> list[float]:
        """A few queues have most of the traffic."""
        shares = [1 / (1 + rank) ** 0.7 for rank in range(self.queues)]
        self._chance("shares").shuffle(shares)
        return shares

    @cached_property
    def incidents(self) -> tuple[Incident, Incident, Incident]:
        """Among the busiest queues, where they are seen; each has queues of its own if there are enough."""
        busiest = sorted(range(self.queues), key=lambda queue: -self.shares[queue])
        return (
            Incident("bad deploy", 20, 17, frozenset(busiest[2:][: max(self.queues // 5, 1)] or busiest[:1])),
            Incident("burst of poison", 11, 9, frozenset(busiest[:1])),
            Incident("noisy tenant (tenant-1)", 6, 0, frozenset(busiest[1:2] or busiest[:1])),
        )

    def stretches(self) -> Iterator[Stretch]:
        """Hour by hour, oldest first. The messages add up to what was asked for, to the last one."""
        ordinary = [habits_of(queue, self._chance(f"queue {queue}")) for queue in range(self.queues)]
        weights = self._weights()
        total, reached, written = sum(map(sum, weights)), 0.0, 0
        for hour, row in enumerate(weights):
            cells = []
            for queue, weight in enumerate(row):
                reached += weight
                upto = round(self.messages * min(reached / total, 1.0))
                if upto > written:
                    cells.append((queue, upto - written, self._habits(ordinary[queue], queue, hour)))
                written = upto
            if cells:
                queues, messages, habits = map(list, zip(*cells, strict=True))
                seed = self._chance(f"hour {hour}").uniform(-1, 1)
                yield Stretch(self.since + hour * HOUR, seed, queues, messages, habits)

    def _weights(self) -> list[list[float]]:
        """Of each hour and queue. No hour is quite like another."""
        chance, noisy = self._chance("weights"), self.incidents[2]
        return [
            [
                share * busy * chance.uniform(0.85, 1.15) * (2 if noisy.strikes(queue, hours_left) else 1)
                for queue, share in enumerate(self.shares)
            ]
            for hours_left, busy in self._hours()
        ]

    def _hours(self) -> Iterator[tuple[int, float]]:
        for hour in range(self.days * 24):
            yield self.days * 24 - hour, busyness(self.since + hour * HOUR)

    def _chance(self, of: str) -> Random:
        return Random(f"{self.seed}/{of}")  # noqa: S311  # it decides a story, no secret

    def _habits(self, habits: Habits, queue: int, hour: int) -> Habits:
        """Of an ordinary hour, or of one in which an incident strikes."""
        hours_left = self.days * 24 - hour
        deploy, poison, noisy = (incident.strikes(queue, hours_left) for incident in self.incidents)
        if deploy:
            habits = replace(
                habits,
                processing_median=habits.processing_median * 4,
                wait_mean=habits.wait_mean * 10 + 60,
                failing=0.6,
                first_error=ERRORS.index(DEPLOY_ERROR) + 1,
                errors=1,
            )
        if poison:
            habits = replace(habits, poisoned=0.5)
        if noisy:
            habits = replace(
                habits, noisy=0.6, tenants=max(habits.tenants, 20), wait_mean=habits.wait_mean * 5
            )
        return habits


def busyness(at: datetime) -> float:
    """Of an hour: the wave of the day, and the dip of the weekend."""
    wave = 1 + 0.8 * sin(2 * pi * (at.hour + at.minute / 60 - BUSIEST_HOUR + 6) / 24)
    return wave * (WEEKEND if at.weekday() >= SATURDAY else 1)


def habits_of(queue: int, drawn: Random) -> Habits:
    slow = queue % 10 == 3  # hardly done before its lease is over: there is something to advise
    return Habits(
        processing_median=14.0 if slow else 0.02 * 10 ** drawn.uniform(0, 2),
        processing_spread=drawn.uniform(0.4, 0.9),
        wait_mean=10 ** drawn.uniform(-1, 1),
        failing=drawn.uniform(0.005, 0.05),
        poisoned=drawn.uniform(0.0, 0.001),
        ignored=0.01 if queue % 10 == 7 else 0.0,
        tenants=drawn.choice((0, 20, 80)),
    )


def settings_of(queue: int) -> dict[str, int]:
    """What is worth advice: some leases are far longer than the work, some queues promise an age."""
    settings = {"visibility_timeout": 600 if queue % 10 == 6 else 30, "max_deliveries": 5 if queue % 3 else 3}
    return settings if queue % 2 else {**settings, "target_age_seconds": 300}


def name_of(queue: int) -> str:
    number, place = divmod(queue, len(SERVICES) * len(EVENTS))
    event, service = divmod(place, len(SERVICES))
    return f"{SERVICES[service]}-{EVENTS[event]}" + (f"-{number + 1}" if number else "")


def error_fingerprints() -> Sequence[str]:
    return [fingerprints.of(error_type, message) for error_type, message in ERRORS]
