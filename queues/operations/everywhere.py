"""Search everywhere: an id leads straight to its thing; words and qualifiers to queues and dead letters.

Whoever asks hands over what exists for them, and nothing else is looked at. Every part is bounded: by a key,
by the number of queues, or by time.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from queues import ids, limits
from queues.errors import SearchTooSlow
from queues.managers.patience import at_most
from queues.models import DiscardedMessage, Message, MessageLog, Outcome, Queue, State, Team
from queues.operations import error_groups, look, redrive_filters
from queues.operations.search import Search, order

MOST_QUEUES = 20
MOST_LETTERS = 5  # of each queue
SHALLOW = 20_000  # as many dead letters are read in a moment, whatever is searched for
# The log has no index of messages, which every ack would pay for: it is read by time, from the send on (and a
# minute before: clocks are set).
SPANS = (timedelta(minutes=-1), timedelta(hours=1), timedelta(days=1), timedelta(days=366))
LIVE, TRASH = "live", "trash"
MOVED_ON = (Outcome.DEAD_LETTERED, Outcome.REQUEUED, Outcome.REDRIVEN)


class Ending(NamedTuple):
    """The last thing the log knows of a message, and the queue if there is still one."""

    outcome: str
    at: datetime
    queue: Queue | None


@dataclass(frozen=True, slots=True)
class Letters:
    """Dead letters of one queue that match, the newest of them."""

    queue: Queue
    messages: list[Any]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Findings:
    letters: list[Letters]
    too_deep: list[Queue]  # for these there was no time


def find_message(queues: QuerySet[Queue], uid: uuid.UUID) -> tuple[Queue, str] | None:
    """The queue in which the message is, and whether alive or in the trash."""
    mine = {queue.pk: queue for queue in queues}
    for place, rows in ((LIVE, in_queues(mine, uid)), (TRASH, in_trash(mine, uid))):
        for queue_id in rows.values_list("queue_id", flat=True)[:1]:
            return mine[queue_id], place
    return None


def in_queues(queue_ids: Iterable[int], uid: uuid.UUID) -> QuerySet[Message]:
    """By key. The queues are a list: a join could be planned as a scan of the table when statistics lie."""
    return Message.objects.filter(queue_id__in=list(queue_ids), id=uid).exclude(state=State.EXPIRED)


def in_trash(queue_ids: Iterable[int], uid: uuid.UUID) -> QuerySet[DiscardedMessage]:
    return DiscardedMessage.objects.filter(queue_id__in=list(queue_ids), message_id=uid)


def find_ending(teams: QuerySet[Team], uid: uuid.UUID, now: datetime | None = None) -> Ending | None:
    """What became of a message that is in no queue any more. Most are finished soon after they were sent."""
    sent, until = ids.drawn_at(uid), now or timezone.now()
    if sent is None or sent > until:
        return None
    team_ids = list(teams.values_list("pk", flat=True))
    last = None
    for start, end in pairwise(SPANS):
        if sent + start > until:
            break
        last = _last_stay(team_ids, uid, sent + start, min(sent + end, until)) or last
        if last and last.outcome not in MOVED_ON:
            break
    return _ending(last) if last else None


def find_queues(queues: QuerySet[Queue], words: Iterable[str]) -> tuple[list[Queue], bool]:
    """Those with every word in their name, description or tags, and whether there are more."""
    found: QuerySet[Any] = queues.annotate(tag_text=Cast("tags", TextField()))
    for word in words:
        found = found.filter(
            Q(name__icontains=word) | Q(description__icontains=word) | Q(tag_text__icontains=word)
        )
    rows = list(found.order_by("name", "pk")[: MOST_QUEUES + 1])
    return rows[:MOST_QUEUES], len(rows) > MOST_QUEUES


def find_letters(queues: QuerySet[Queue], search: Search) -> Findings:
    """Dead letters of all these queues. Shallow queues are read first, so that a deep one hides nothing."""
    if search.problems or not search.filter:
        return Findings([], [])
    findings, too_deep = [], []
    for part in _parts(list(queues.filter(is_dlq=True))):
        try:
            findings += _newest(part, search)
        except SearchTooSlow:
            too_deep += part
    return Findings(sorted(findings, key=lambda found: found.queue.name), too_deep)


def _last_stay(team_ids: list[int], uid: uuid.UUID, start: datetime, end: datetime) -> MessageLog | None:
    stays = MessageLog.objects.filter(team_id__in=team_ids, message_id=uid)
    stays = stays.filter(finished_at__gte=start, finished_at__lte=end)
    with at_most(limits.SEARCH_SECONDS / (len(SPANS) - 1), otherwise=SearchTooSlow):
        return stays.order_by("-finished_at").first()


def _ending(stay: MessageLog) -> Ending:
    queue = Queue.objects.filter(pk=stay.queue_id).first()
    return Ending(Outcome(stay.outcome).label.lower(), stay.finished_at, queue)


def _parts(dlqs: list[Queue]) -> list[list[Queue]]:
    """Those that can be read together in a moment, and the others."""
    dead = error_groups.dead_counts(dlqs)
    shallow: list[Queue] = []
    deep: list[Queue] = []
    letters = 0
    for dlq in sorted(dlqs, key=lambda dlq: dead[dlq.pk]):
        letters += dead[dlq.pk]
        if dead[dlq.pk]:
            (shallow if letters <= SHALLOW else deep).append(dlq)
    return [part for part in (shallow, deep) if part]


def _newest(dlqs: Sequence[Queue], search: Search) -> list[Letters]:
    """A few letters of each queue, found by walking its own index; one statement for all the queues."""
    dead = Message.objects.filter(queue_id=OuterRef("pk"), dead_lettered_at__isnull=False)
    matching = redrive_filters.narrowed(
        dead.exclude(state=State.EXPIRED), OuterRef(OuterRef("team_id")), search.filter
    )
    newest = matching.order_by(*order(search, backwards=True)).values("id")[: MOST_LETTERS + 1]
    rows = Queue.objects.filter(pk__in=[dlq.pk for dlq in dlqs]).annotate(found=ArraySubquery(newest))
    with at_most(limits.SEARCH_SECONDS / 2, otherwise=SearchTooSlow):
        found = {queue_id: uids for queue_id, uids in rows.values_list("pk", "found") if uids}
        messages = _messages(found)
    return [_letters(dlq, found[dlq.pk], messages) for dlq in dlqs if dlq.pk in found]


def _messages(found: dict[int, list[uuid.UUID]]) -> dict[uuid.UUID, Message]:
    uids = [uid for each in found.values() for uid in each]
    rows = Message.objects.filter(queue_id__in=list(found), id__in=uids)
    return {message.id: message for message in look.in_brief(rows)}


def _letters(dlq: Queue, uids: list[uuid.UUID], messages: dict[uuid.UUID, Message]) -> Letters:
    """One that was requeued this very moment is missing."""
    shown = [messages[uid] for uid in uids[:MOST_LETTERS] if uid in messages]
    return Letters(dlq, shown, has_more=len(uids) > MOST_LETTERS)
