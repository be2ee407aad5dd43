"""Receiving: leases the next messages, and moves aside what can no longer be delivered."""

from datetime import datetime

from queues import limits
from queues.events import emit
from queues.models import FifoGroup, Message, Queue
from queues.operations import dead_letters, expiry
from queues.values import Delivery

PROMOTED_AT_LEAST = 100
# When the head of the queue holds only dead rows, look this far behind it, so many times.
LOOK_BEHIND = 100
ROUNDS = 5
# A FIFO queue is asked for one group first, then for so many times as many: the first may have all that is
# wanted, or just one message, and nobody else sees the groups that are looked at.
MORE_GROUPS = 4
GROUP_ROUNDS = 6
NUDGES = 100


def receive(
    queue: Queue,
    limit: int = 1,
    visibility_timeout: int | None = None,
    now: datetime | None = None,
    by: int | None = None,
) -> list[Delivery]:
    """Lease up to `limit` messages; an empty list when there is none, or the queue is paused.

    `by` is the key of the API key that asks, for the timeline.
    """
    limits.verify_range("max_messages", limit, limits.BATCH_ENTRIES)
    if visibility_timeout is None:
        visibility_timeout = queue.visibility_timeout
    limits.verify_range("visibility_timeout", visibility_timeout, limits.VISIBILITY_TIMEOUT)
    if queue.paused:
        return []
    _promote(queue, limit, now)
    claim = _claim_in_line if queue.is_fifo else _claim
    deliveries = claim(queue, limit, visibility_timeout, by, now)
    emit("message.received", queue=queue, count=len(deliveries))
    return deliveries


def _promote(queue: Queue, limit: int, now: datetime | None) -> None:
    promotion = Message.objects.promote(queue, max(limit, PROMOTED_AT_LEAST), now)
    if promotion.exhausted:
        dead_letters.bury(queue, promotion.exhausted, now)


def _claim(
    queue: Queue, limit: int, visibility_timeout: int, by: int | None, now: datetime | None
) -> list[Delivery]:
    """Claim in rounds: each takes rows by index order only, and the dead ones among them are moved aside."""
    deliveries: list[Delivery] = []
    look = limit
    for _ in range(ROUNDS):
        claim = Message.objects.claim(
            queue,
            limit - len(deliveries),
            look=look,
            visibility_timeout=visibility_timeout,
            by=by,
            now=now,
        )
        deliveries += claim.deliveries
        _move_aside(queue, claim.expired, claim.exhausted, now)
        if len(deliveries) == limit or claim.looked_at < look:
            break
        look = max(limit - len(deliveries), LOOK_BEHIND)
    return deliveries


def _claim_in_line(
    queue: Queue, limit: int, visibility_timeout: int, by: int | None, now: datetime | None
) -> list[Delivery]:
    """Claim group by group, in the order in which they have become due."""
    FifoGroup.objects.fold(queue.pk, NUDGES, now)
    deliveries: list[Delivery] = []
    for groups in (MORE_GROUPS**number for number in range(GROUP_ROUNDS)):
        claim = FifoGroup.objects.claim(
            queue,
            limit - len(deliveries),
            groups=groups,
            visibility_timeout=visibility_timeout,
            by=by,
            now=now,
        )
        deliveries += claim.deliveries
        _move_aside(queue, claim.expired, claim.exhausted, now)
        if len(deliveries) == limit or claim.groups < groups:
            break
    return deliveries


def _move_aside(queue: Queue, expired: int, exhausted: int, now: datetime | None) -> None:
    if exhausted:
        dead_letters.bury(queue, exhausted, now)
    if expired:
        expiry.remove_expired(queue, expired, now)
