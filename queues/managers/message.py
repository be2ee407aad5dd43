"""The hot statements: bind parameters, run one, map its rows. What they mean is said in operations."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import models

from queues import ids, limits, ranking
from queues.managers import floors, nudges
from queues.managers.rows import delivery_of, json_of, sendings
from queues.managers.statements import run, run_one
from queues.receipts import Receipt
from queues.values import Delivery, Failure, NewMessage, Stored

if TYPE_CHECKING:
    from queues.models import Message, Queue  # noqa: F401  # named in the class's base


class Promotion(NamedTuple):
    moved: int
    exhausted: int


class Claim(NamedTuple):
    deliveries: list[Delivery]
    expired: int
    exhausted: int

    @property
    def looked_at(self) -> int:
        return len(self.deliveries) + self.expired + self.exhausted


class MessageManager(models.Manager["Message"]):
    def store(
        self,
        queue: Queue,
        messages: Sequence[NewMessage],
        sizes: Sequence[int],
        *,
        bounded: bool,
        rank_step: int | None,
        now: datetime | None,
    ) -> list[Stored]:
        """Store messages in order. With `bounded`, all or none: [] when no slot has room for all of them."""
        rows = run(
            "message/send",
            **sendings(queue, messages, sizes, bounded=bounded, rank_step=rank_step, now=now),
        )
        return [Stored(row.id) for row in rows]

    def copy(
        self, queues: Sequence[Queue], message: NewMessage, size: int, now: datetime | None
    ) -> list[uuid.UUID]:
        """Store one message in each of these queues, whatever their bounds: they are not looked at."""
        rows = run(
            "message/copy",
            queue_id=[queue.pk for queue in queues],
            rank_step=[ranking.step_of(queue) for queue in queues],
            delay_seconds=[
                queue.delay_seconds if message.delay_seconds is None else message.delay_seconds
                for queue in queues
            ],
            now=now,
            data=message.data,
            attributes=json_of(message.attributes),
            priority=message.priority,
            group_id=message.group_id,
            ttl_seconds=message.ttl_seconds,
            max_deliveries=message.max_deliveries,
            trace_id=message.trace_id,
            size_bytes=size,
        )
        return [row.id for row in rows]

    def promote(
        self, queue: Queue, batch: int, now: datetime | None, chance: float | None = None
    ) -> Promotion:
        """Make due messages ready; some may turn out to be exhausted. `chance` is the jitter's dice."""
        floor = floors.parked(queue.pk) if now is None else None
        params = {
            "queue_id": queue.pk,
            "batch": batch,
            "floor": floor,
            "mortal": not queue.is_dlq,
            "max_deliveries": queue.max_deliveries,
            "kept_entries": limits.HISTORY_ENTRIES,
            "now": now,
        }
        if queue.backoff:
            row = run_one("message/promote_with_backoff", **params, **_backoff(queue, chance))
        else:
            row = run_one("message/promote", **params)
        if floor is None and now is None:
            floors.note_promotion(queue.pk, row.at, row.cost, drained=row.moved < batch)
        if row.lowest:
            floors.lower(queue.pk, row.lowest)
        return Promotion(row.moved, row.exhausted)

    def claim(
        self,
        queue: Queue,
        batch: int,
        *,
        look: int,
        visibility_timeout: int,
        by: int | None,
        now: datetime | None,
    ) -> Claim:
        """Lease up to `batch` messages, looking at no more than `look` of them."""
        rows = run(
            "message/claim",
            queue_id=queue.pk,
            batch=batch,
            look=look,
            floor=floors.ready(queue.pk) if now is None else None,
            mortal=not queue.is_dlq,
            max_deliveries=queue.max_deliveries,
            retention_seconds=queue.retention_seconds,
            visibility_timeout=visibility_timeout,
            by=by,
            now=now,
        )
        return Claim([delivery_of(row) for row in rows if row.id], rows[0].expired, rows[0].exhausted)

    def finish(
        self, queue: Queue, receipts: Sequence[Receipt], outcome: str, now: datetime | None
    ) -> dict[Receipt, bool]:
        """Remove and log messages; says of each receipt whose message was found whether it still held it."""
        rows = run(
            "message/finish",
            queue_id=queue.pk,
            team_id=queue.team_id,
            bounded=queue.queue_size is not None,
            ids=[receipt.message_id for receipt in receipts],
            receipts=[receipt.lease for receipt in receipts],
            outcome=outcome,
            now=now,
        )
        return {Receipt(row.id, row.receipt): row.held for row in rows}

    def change_visibility(
        self, queue: Queue, receipt: Receipt, visibility_timeout: int, now: datetime | None
    ) -> Any:
        """A row saying whether the receipt holds the message and the lease fits; None without one."""
        rows = run(
            "message/change_visibility",
            queue_id=queue.pk,
            id=receipt.message_id,
            receipt=receipt.lease,
            visibility_timeout=visibility_timeout,
            total_seconds=limits.TOTAL_LEASE_SECONDS,
            kept_entries=limits.HISTORY_ENTRIES,
            now=now,
        )
        if not visibility_timeout:
            floors.lower(queue.pk, receipt.message_id)
        return rows[0] if rows else None

    def nack(
        self,
        queue: Queue,
        receipt: Receipt,
        failure: Failure,
        delay_seconds: int | None,
        now: datetime | None,
        chance: float | None = None,
    ) -> Any:
        """A row saying whether the receipt held the message and what became of it; None without one."""
        rows = run(
            "message/nack",
            queue_id=queue.pk,
            id=receipt.message_id,
            receipt=receipt.lease,
            mortal=not queue.is_dlq,
            max_deliveries=queue.max_deliveries,
            delay_seconds=delay_seconds,
            **_backoff(queue, chance),
            error=json_of(failure.error),
            error_in_brief=json_of(failure.in_brief),
            error_type=failure.type,
            fingerprint=failure.fingerprint,
            kept_entries=limits.HISTORY_ENTRIES,
            now=now,
        )
        floors.lower(queue.pk, receipt.message_id)
        return rows[0] if rows else None

    def lock_exhausted(self, queue: Queue, batch: int) -> list[uuid.UUID]:
        return [row.id for row in run("message/lock_exhausted", queue_id=queue.pk, batch=batch)]

    def dead_letter(
        self,
        queue: Queue,
        dlq: Queue,
        message_ids: Sequence[uuid.UUID],
        fingerprints: Sequence[str | None],
        reason: str,
        now: datetime | None,
    ) -> None:
        """Move them; each keeps its fingerprint unless it is given another."""
        run(
            "message/dead_letter",
            queue_id=queue.pk,
            dlq_id=dlq.pk,
            ids=list(message_ids),
            fingerprints=list(fingerprints),
            reason=reason,
            rank_step=ranking.step_of(dlq),
            kept_entries=limits.HISTORY_ENTRIES,
            now=now,
        )
        nudges.leave(dlq, message_ids)
        floors.lower(dlq.pk, min(message_ids))

    def retry(
        self,
        dlq: Queue,
        target: Queue,
        message_ids: Sequence[uuid.UUID],
        *,
        event: str,
        by: str,
        now: datetime | None,
        redrive_id: int | None = None,
    ) -> None:
        """Move dead letters to a queue; `event` and `by` are what their history says of it."""
        nudges.leave(dlq, message_ids)
        run(
            "message/retry",
            queue_id=dlq.pk,
            target_id=target.pk,
            ids=list(message_ids),
            event=event,
            by=by,
            redrive_id=redrive_id,
            rank_step=ranking.step_of(target),
            kept_entries=limits.HISTORY_ENTRIES,
            now=now,
        )
        nudges.leave(target, message_ids)
        floors.lower(target.pk, min(message_ids))

    def undo_retry(
        self,
        queue: Queue,
        dlq: Queue,
        message_ids: Sequence[uuid.UUID],
        *,
        event: str,
        by: str,
        now: datetime | None,
    ) -> None:
        """Move messages back to the dead-letter queue that they were moved out of."""
        run(
            "message/undo_retry",
            queue_id=queue.pk,
            dlq_id=dlq.pk,
            ids=list(message_ids),
            event=event,
            by=by,
            kept_entries=limits.HISTORY_ENTRIES,
            now=now,
        )
        nudges.leave(dlq, message_ids)
        floors.lower(dlq.pk, min(message_ids))

    def lock_requeued(self, dlq: Queue, message_id: uuid.UUID) -> Any:
        """A row saying where a requeued message is and whether it is as it was left; None when it is gone."""
        rows = run("message/lock_requeued", dlq_id=dlq.pk, team_id=dlq.team_id, id=message_id)
        return rows[0] if rows else None

    def over_age(self, queue: Queue, batch: int, now: datetime) -> list[uuid.UUID]:
        """Messages whose retention or own time to live is over."""
        rows = run(
            "message/expire",
            queue_id=queue.pk,
            batch=batch,
            retention_seconds=queue.retention_seconds,
            oldest_kept=ids.oldest_at(now, seconds_before=queue.retention_seconds),
            now=now,
        )
        return [row.id for row in rows]

    def count_up_to(self, queue: Queue, most: int, now: datetime | None) -> Any:
        """A row of counts by state, none counted further than `most`."""
        return run_one("message/count", queue_id=queue.pk, most=most, now=now)

    def waiting_since(self, queue: Queue) -> datetime | None:
        """When the ready message that waits longest came into the queue."""
        return run_one("message/head", queue_id=queue.pk).waiting_since


def _backoff(queue: Queue, chance: float | None) -> dict[str, float | None]:
    backoff = queue.backoff or {}
    return {
        "backoff_base": backoff.get("base_seconds"),
        "backoff_factor": backoff.get("factor"),
        "backoff_max": backoff.get("max_seconds"),
        "backoff_jitter": backoff.get("jitter"),
        "chance": chance,
    }
