"""The audit: what a person does and the row that says so are committed together, or neither is."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from queues import limits
from queues.models import Action, AuditEntry, Queue, Team

SUBJECT_LENGTH = 200


@contextmanager
def audited(
    user: User,
    action: Action,
    *,
    team: Team | None = None,
    queue: Queue | None = None,
    subject: str = "",
    reason: str = "",
    **detail: Any,
) -> Iterator[dict[str, Any]]:
    """Do the deed in the block; what it learns (a number, a new name) goes into the detail it is given."""
    limits.verify_length("reason", reason, limits.AUDIT_REASON_LENGTH)
    with transaction.atomic():
        yield detail
        record(user, action, team=team, queue=queue, subject=subject, reason=reason, detail=detail)


def record(
    user: User,
    action: Action,
    *,
    team: Team | None = None,
    queue: Queue | None = None,
    subject: str = "",
    reason: str = "",
    detail: dict[str, Any] | None = None,
) -> AuditEntry:
    """Write the row into the caller's transaction. The queue names the team, unless there is none."""
    owner = queue.team if queue else team
    if owner is None:
        raise ValueError("an audit entry belongs to a team")
    return AuditEntry.objects.create(
        team=owner,
        user=user,
        actor=user.get_username(),
        action=action,
        queue=queue,
        queue_name=queue.name if queue else "",
        subject=subject[:SUBJECT_LENGTH],
        reason=reason,
        detail=detail or {},
    )


def entries(
    teams: QuerySet[Team],
    *,
    queue: str = "",
    action: str = "",
    actor: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[AuditEntry]:
    """What was done in these teams, latest first, narrowed by whatever is given; names are whole names."""
    wanted = {"queue_name": queue, "action": action, "actor": actor, "at__gte": since, "at__lt": until}
    # As a list: the planner then knows how many entries the teams have, and so which index is shorter.
    found = AuditEntry.objects.filter(team_id__in=list(teams.values_list("pk", flat=True)))
    found = found.filter(**{lookup: value for lookup, value in wanted.items() if value})
    return found.select_related("team", "queue").order_by("-id")
