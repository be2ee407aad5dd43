"""What the figures say about a queue's settings, and taking that advice."""

from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from django.contrib.auth.models import User

from queues.errors import AdviceStale, QueueNotFound
from queues.models import Action, AdviceKind, AdviceStatus, Queue, QueueAdvice
from queues.operations import audit, queues

# The kinds that are about a setting; the others are about consumers, or warn.
SETTINGS = {
    AdviceKind.VISIBILITY_TIMEOUT: "visibility_timeout",
    AdviceKind.MAX_DELIVERIES: "max_deliveries",
    AdviceKind.HIGH_WATER_MARK: "queue_size",
}
URGENCY = (AdviceStatus.CRITICAL, AdviceStatus.WARNING, AdviceStatus.CHANGE, AdviceStatus.OK)


@dataclass(frozen=True, slots=True)
class Advice:
    found: QueueAdvice
    setting: str | None  # the setting it is about
    now: int | None  # what that is just now
    suggested: int | None  # what to change it to, in whole numbers

    @property
    def is_applied(self) -> bool:
        wanted_change = self.found.status != AdviceStatus.OK and self.suggested is not None
        return wanted_change and self.now == self.suggested

    @property
    def is_outdated(self) -> bool:
        """The setting is not what it was when the figures were looked at; the next run looks again."""
        return self.setting is not None and self.now != self.found.current_value and not self.is_applied

    @property
    def can_be_applied(self) -> bool:
        wants_change = self.found.status != AdviceStatus.OK and self.suggested is not None
        return wants_change and not self.is_applied and not self.is_outdated


def advice(queue: Queue) -> list[Advice]:
    """The urgent first. None when the job has not run, or where too little has happened to tell."""
    found = QueueAdvice.objects.filter(queue_id=queue.pk, team_id=queue.team_id)
    kinds = list(AdviceKind.values)
    in_order = sorted(found, key=lambda row: (URGENCY.index(row.status), kinds.index(row.kind)))
    return [_advice(queue, row) for row in in_order]


def computed_at(found: list[Advice]) -> datetime | None:
    return max((one.found.computed_at for one in found), default=None)


def apply(user: User, queue: Queue, kind: str, *, seen: int | None, suggested: int) -> Queue:
    """Change a setting as advised. `seen` and `suggested` are what the person saw: either may be past."""
    with audit.audited(user, Action.QUEUE_CHANGED, queue=queue) as detail:
        held = Queue.objects.live().select_for_update(no_key=True, of=("self",)).filter(pk=queue.pk).first()
        if held is None:
            raise QueueNotFound()
        row = QueueAdvice.objects.filter(queue_id=held.pk, kind=kind).first()
        one = _advice(held, row) if row else None
        if one is None or one.setting is None or not one.can_be_applied:
            raise AdviceStale()
        if (one.now, one.suggested) != (seen, suggested):
            raise AdviceStale()
        detail.update(_detail(one))
        return queues.update(held, **{one.setting: suggested})


def _advice(queue: Queue, row: QueueAdvice) -> Advice:
    setting = SETTINGS.get(AdviceKind(row.kind))
    if setting is None:
        return Advice(row, None, None, None)
    suggested = None if row.suggested_value is None else ceil(row.suggested_value)
    return Advice(row, setting, getattr(queue, setting), suggested)


def _detail(one: Advice) -> dict[str, Any]:
    """Beside the change itself, what it was based on."""
    row = one.found
    return {
        "before": {one.setting: one.now},
        "after": {one.setting: one.suggested},
        "advice": row.kind,
        "confidence": row.confidence,
        "sample_size": row.sample_size,
        "figures": row.figures,
    }
