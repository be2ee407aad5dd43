"""What a redrive would do: how many messages, where to, and which stay behind and why.

The count is exact, however many there are: it is the number on the button, and what then moves. It reads
every dead letter of the queue, so it is given up after a while; a limit makes it short.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet

from queues.errors import RedriveTooLarge
from queues.managers.patience import at_most
from queues.models import Queue
from queues.operations import redrive_filters
from queues.operations.redrive_filters import MOVES, Filter
from queues.operations.redrive_run import HIGHEST, LOWEST

PATIENCE_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Plan:
    """What moves and what is blocked make up `matched`. Started with its cut-off, a redrive does this."""

    matched: int
    targets: list[tuple[Queue, int]]
    blocked: list[tuple[str, int]]
    cut_off: datetime

    @property
    def movable(self) -> int:
        return sum(count for _, count in self.targets)

    @property
    def staying(self) -> int:
        return sum(count for _, count in self.blocked)


def count(
    dlq: Queue,
    kept: Filter,
    *,
    target: Queue | None,
    limit: int | None,
    cut_off: datetime,
    now: datetime | None,
) -> Plan:
    with at_most(PATIENCE_SECONDS, otherwise=RedriveTooLarge):
        rows = _up_to(limit, _with_fates(dlq, kept, target, cut_off, now))
        groups = list(rows.values_list("source_queue_id", "fate").annotate(number=Count("*")).order_by())
    return _plan(groups, target, cut_off)


def _with_fates(
    dlq: Queue, kept: Filter, target: Queue | None, cut_off: datetime, now: datetime | None
) -> QuerySet[Any]:
    live = Queue.objects.live().filter(team_id=dlq.team_id) if target is None else None
    rows: QuerySet[Any] = redrive_filters.matching(dlq, kept, cut_off)
    return rows.annotate(fate=redrive_filters.fate(kept, now, live))


def _up_to(limit: int | None, rows: QuerySet[Any]) -> QuerySet[Any]:
    """As far as a redrive would come with this limit on what moves; with both bounds, by the key."""
    if limit is None:
        return rows
    movable = rows.filter(id__gt=LOWEST, id__lte=HIGHEST, fate=MOVES).order_by("id")
    last = list(movable.values_list("id", flat=True)[limit - 1 : limit])
    return rows.filter(id__gt=LOWEST, id__lte=last[0]) if last else rows


def _plan(groups: list[tuple[int, str, int]], target: Queue | None, cut_off: datetime) -> Plan:
    going: Counter[int] = Counter()
    blocked: Counter[str] = Counter()
    for source_id, fate, number in groups:
        if fate == MOVES:
            going[target.pk if target else source_id] += number
        else:
            blocked[fate] += number
    queues: dict[int, Any] = Queue.objects.in_bulk(list(going))
    return Plan(
        matched=going.total() + blocked.total(),
        targets=[(queues[pk], number) for pk, number in going.most_common()],
        blocked=sorted(blocked.items()),
        cut_off=cut_off,
    )
