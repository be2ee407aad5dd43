"""The statements of FIFO queues: sent in line, claimed group by group, held only while the lease runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import models, transaction

from queues import gates
from queues.managers.rows import delivery_of, sendings
from queues.managers.statements import run, run_one
from queues.receipts import Receipt
from queues.values import Delivery, NewMessage, Stored

if TYPE_CHECKING:
    from queues.models import FifoGroup, Queue  # noqa: F401  # named in the class's base


class GroupClaim(NamedTuple):
    deliveries: list[Delivery]
    expired: int = 0
    exhausted: int = 0
    groups: int = 0


class FifoGroupManager(models.Manager["FifoGroup"]):
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
        """Store messages at the ends of their groups, one producer of a group after the other."""
        rows = run(
            "message/send_fifo",
            gates=gates.of_all(message.group_id or "" for message in messages),
            **sendings(queue, messages, sizes, bounded=bounded, rank_step=rank_step, now=now),
        )
        return [Stored(row.id, row.sequence) for row in rows]

    def fold(self, queue_id: int, batch: int, now: datetime | None) -> int:
        """Take in what was said about groups of this queue, so that they are looked at."""
        return int(run_one("fifo_group/fold", queue_id=queue_id, batch=batch, now=now).nudges)

    @transaction.atomic
    def claim(
        self,
        queue: Queue,
        batch: int,
        *,
        groups: int,
        visibility_timeout: int,
        by: int | None,
        now: datetime | None,
    ) -> GroupClaim:
        """Lease up to `batch` messages of the first `groups` groups that are due.

        In two statements: the second has to see what was done by those who had the groups before. In one, a
        consumer was given the second message of a group while another held the first.
        """
        rows = run("fifo_group/lock_due", queue_id=queue.pk, groups=groups, now=now)
        if not rows:
            return GroupClaim([])
        group_ids = [row.group_id for row in rows]
        rows = run(
            "message/claim_fifo",
            queue_id=queue.pk,
            group_ids=group_ids,
            gates=[gates.of(group_id) for group_id in group_ids],
            batch=batch,
            mortal=not queue.is_dlq,
            max_deliveries=queue.max_deliveries,
            retention_seconds=queue.retention_seconds,
            visibility_timeout=visibility_timeout,
            by=by,
            now=now,
        )
        if rows[0].idle:
            run("fifo_group/forget", queue_id=queue.pk, group_ids=rows[0].idle)
        deliveries = [delivery_of(row) for row in rows if row.id]
        return GroupClaim(deliveries, rows[0].expired, rows[0].exhausted, len(group_ids))

    def lock_leased(self, queue: Queue, receipts: Sequence[Receipt], now: datetime | None) -> list[Any]:
        """Rows of `id`, `receipt`, `group_id` and whether its lease still runs, for each message found."""
        return run(
            "message/lock_leased",
            queue_id=queue.pk,
            ids=[receipt.message_id for receipt in receipts],
            receipts=[receipt.lease for receipt in receipts],
            now=now,
        )

    def call(self, queue: Queue, group_ids: Collection[str], now: datetime | None) -> None:
        """Let groups be looked at: something has become of their leases."""
        if group_ids:
            run("fifo_group/call", queue_id=queue.pk, group_ids=list(group_ids), now=now)
