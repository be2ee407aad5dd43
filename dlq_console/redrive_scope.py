"""What a redrive is to do, and the sealed form in which a plan waits for its confirmation.

The seal keeps the plan from being changed on its way through the browser. It grants nothing: whether the
person still may, and whether queue and target are still there, is asked again when the plan comes back.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.core import signing

from queues import ids
from queues.errors import Invalid
from queues.models import Queue
from queues.operations import redrive
from queues.operations.redrive_plan import Plan

LADDER = (1, 10)  # and then all the others
SALT = "dlq_console.redrive_plan"
GOOD_FOR_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class Scope:
    text: str
    filter: dict[str, Any]
    target: Queue | None = None
    limit: int | None = None
    rate: int | None = None
    canary: dict[str, Any] | None = None

    def plan(self, dlq: Queue, cut_off: datetime | None = None) -> Plan:
        return redrive.plan(dlq, target=self.target, filter=self.filter, limit=self.limit, cut_off=cut_off)


@dataclass(frozen=True, slots=True)
class Promise:
    """A scope with the number that stood on the button, and the moment it was counted for."""

    scope: Scope
    movable: int
    cut_off: datetime


class PlanRefused(Invalid):
    """This plan cannot be used: it is more than an hour old, or not one that was made for you here."""


def sealed(scope: Scope, plan: Plan, dlq: Queue, user: User) -> str:
    content = {
        "queue": dlq.public_id,
        "user": user.pk,
        "text": scope.text,
        "filter": scope.filter,
        "target": scope.target.public_id if scope.target else None,
        "limit": scope.limit,
        "rate": scope.rate,
        "canary": scope.canary,
        "movable": plan.movable,
        "cut_off": plan.cut_off.isoformat(),
    }
    return signing.dumps(content, salt=SALT, compress=True)


def unsealed(text: str, dlq: Queue, user: User) -> Promise:
    """What was promised, if it was promised to this person for this queue."""
    try:
        content = signing.loads(text, salt=SALT, max_age=GOOD_FOR_SECONDS)
    except signing.BadSignature:
        raise PlanRefused() from None
    if (content["queue"], content["user"]) != (dlq.public_id, user.pk):
        raise PlanRefused()
    scope = Scope(
        text=content["text"],
        filter=content["filter"],
        target=_target(dlq, content["target"]),
        limit=content["limit"],
        rate=content["rate"],
        canary=content["canary"],
    )
    return Promise(scope, content["movable"], datetime.fromisoformat(content["cut_off"]))


def _target(dlq: Queue, public_id: str | None) -> Queue | None:
    """None is a target too: each message's own source. A queue that is gone must not turn into that."""
    if public_id is None:
        return None
    uid = ids.decode("q", public_id)
    target = Queue.objects.live().filter(team_id=dlq.team_id, uid=uid).first()
    if target is None:
        raise Invalid("The target queue has been deleted since. Choose another.")
    return target
