"""What a team makes for itself in one go: a queue, its dead-letter queue, a key. All of it, or nothing."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from queues.models import Action, Queue, Team
from queues.operations import audit, keys, queue_settings, queues
from queues.operations.keys import IssuedKey


@dataclass(frozen=True, slots=True)
class KeyWish:
    name: str
    scopes: list[str] = field(default_factory=list)
    queue_pattern: str = ""
    expires_at: datetime | None = None


@transaction.atomic
def create_queue(
    by: User, team: Team, *, name: str, dlq_name: str = "", key: KeyWish | None = None, **settings: Any
) -> tuple[Queue, IssuedKey | None]:
    """A queue, its dead-letter queue and, if one is wished for, a key."""
    queue = queues.create_with_dlq(team, name=name, dlq_name=dlq_name, **settings)
    detail = {"settings": queue_settings.chosen(queue), "dlq": queue.dlq.name if queue.dlq else None}
    audit.record(by, Action.QUEUE_CREATED, queue=queue, detail=detail)
    return queue, issue_key(by, team, key) if key else None


def issue_key(by: User, team: Team, wish: KeyWish) -> IssuedKey:
    allowed: dict[str, Any] = {"scopes": wish.scopes, "queue_pattern": wish.queue_pattern}
    with audit.audited(by, Action.KEY_CREATED, team=team, subject=wish.name, **allowed) as detail:
        issued = keys.create_api_key(team, wish.name, expires_at=wish.expires_at, **allowed)
        detail["access_key_id"] = issued.access_key_id
    return issued
