"""Dead letters of one queue, grouped by what they died of.

A group is a fingerprint. Every move in or out of a dead-letter queue is counted in its own transaction, so
the counts are exact at any time: every dead letter that is in the queue, and none that left it. What was sent
to a dead-letter queue directly died of nothing and is in no group.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Case, F, Q, QuerySet, When
from django.utils import timezone

from queues import fingerprints as prints
from queues import ids, limits
from queues.errors import ErrorGroupNotFound, Invalid
from queues.models import ErrorGroup, Message, Queue
from queues.models.error_group import IN

MOST_GROUPS = 200
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Group:
    fingerprint: str
    title: str
    error_type: str | None
    count: int
    first_seen: datetime | None
    last_seen: datetime | None
    note: str
    noted_by: str

    @property
    def is_guess(self) -> bool:
        """Nobody reported an error: they are one group because they look alike."""
        return prints.is_guess(self.fingerprint)


@dataclass(frozen=True, slots=True)
class Sample:
    message_id: str
    died_at: datetime
    beginning: str  # of its body


def groups(dlq: Queue) -> list[Group]:
    """The groups with dead letters in them, the largest first."""
    return [_group(row) for row in ErrorGroup.objects.shown(dlq.pk, MOST_GROUPS)]


def group(dlq: Queue, fingerprint: str) -> Group | None:
    """One group, which may be empty by now; None when nothing of the kind died here for long."""
    rows = ErrorGroup.objects.shown(dlq.pk, 1, fingerprint) if _is_text(fingerprint) else []
    return _group(rows[0]) if rows else None


def samples(dlq: Queue, fingerprints: Iterable[str], most: int = 3) -> dict[str, list[Sample]]:
    """The newest dead letters of each group, all in one statement."""
    found: dict[str, list[Sample]] = {text: [] for text in fingerprints if _is_text(text)}
    for row in ErrorGroup.objects.samples(dlq.pk, found, most):
        found[row.fingerprint].append(Sample(ids.message_id(row.id), row.dead_lettered_at, row.beginning))
    return found


def sparklines(
    dlq: Queue, fingerprints: Iterable[str], hours: int = 24, now: datetime | None = None
) -> dict[str, list[int]]:
    """How many died of each in every one of the last hours, the oldest first; the last hour still runs."""
    this_hour = (now or timezone.now()).astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    since = this_hour - (hours - 1) * HOUR
    lines = {fingerprint: [0] * hours for fingerprint in fingerprints if _is_text(fingerprint)}
    for row in ErrorGroup.objects.hours(dlq.pk, lines, since):
        place = (row.bucket - since) // HOUR
        if place < hours:
            lines[row.fingerprint][place] = row.arrived
    return lines


def set_note(dlq: Queue, fingerprint: str, text: str, by: str, now: datetime | None = None) -> None:
    """What people should know of this group; an empty text takes the note away."""
    limits.verify_length("note", text, limits.GROUP_NOTE_LENGTH)
    if group(dlq, fingerprint) is None:
        raise ErrorGroupNotFound()
    ErrorGroup.objects.set_note(dlq.pk, fingerprint, text.strip(), by if text.strip() else "", now)


def dead_count(dlq: Queue) -> int:
    """How many dead letters the queue holds."""
    return dead_counts([dlq])[dlq.pk]


def dead_counts(queues: Sequence[Queue]) -> dict[int, int]:
    """The same of many queues at once, by their primary keys."""
    found = ErrorGroup.objects.counts(queue.pk for queue in queues)
    return {queue.pk: found.get(queue.pk, 0) for queue in queues}


def count_back_in(dlq: Queue, uids: Sequence[uuid.UUID], now: datetime | None = None) -> None:
    """Dead letters that had left the queue are in it again: count them in the transaction that brought them.

    The group may have been forgotten meanwhile, so they bring its title along; one that died before there
    were groups gets its fingerprint now.
    """
    dead = Message.objects.filter(queue_id=dlq.pk, id__in=uids, dead_lettered_at__isnull=False)
    bodies = silent_bodies(dead)
    for letter in dead.filter(fingerprint=None).only("id", "source_queue_id"):
        guess = prints.of_shape(letter.source_queue_id or dlq.pk, bodies[letter.id])
        dead.filter(id=letter.id).update(fingerprint=guess)
    titles = [prints.shape_title(bodies[uid]) if uid in bodies else None for uid in uids]
    ErrorGroup.objects.append(dlq.pk, uids, IN, titles=titles, now=now)


def silent_bodies(messages: QuerySet[Message]) -> dict[uuid.UUID, str | None]:
    """The bodies of those that failed without a word, by which they are grouped; None for a large one."""
    guessed = Q(fingerprint__startswith=prints.GUESS, last_error__isnull=True)
    small = Case(When(size_bytes__lte=prints.LONGEST_SHAPED, then=F("data")))
    return dict(messages.filter(Q(fingerprint=None) | guessed).values_list("id", small))


def _group(row: Any) -> Group:
    fields = row._asdict()
    fields["title"] = row.title or row.error_type or prints.NO_ERROR
    return Group(**fields)


def _is_text(fingerprint: str) -> bool:
    """Whether the database can be asked for it at all: the address of a page may hold anything."""
    try:
        limits.verify_text("fingerprint", fingerprint)
    except Invalid:
        return False
    return True
