"""The log of finished stays, and the daily partitions it lives in."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from django.db import models
from psycopg import sql

from queues.limits import MAX_DELIVERIES
from queues.managers.statements import run, run_one, run_script
from queues.synthetic_history import ERRORS, POISON_ERROR, Stretch, error_fingerprints

if TYPE_CHECKING:
    from queues.models import MessageLog, Queue  # noqa: F401  # named in the class's base

DAILY = re.compile(r"message_log_(\d{4})(\d\d)(\d\d)\Z")


class MessageLogManager(models.Manager["MessageLog"]):
    def append(
        self,
        queue: Queue,
        ids: Sequence[uuid.UUID],
        outcome: str,
        now: datetime | None,
        redrive_id: int | None = None,
    ) -> None:
        """Log the end of a stay for messages that move on to another queue, by a redrive if one is named."""
        run(
            "message_log/append",
            team_id=queue.team_id,
            queue_id=queue.pk,
            ids=list(ids),
            outcome=outcome,
            redrive_id=redrive_id,
            now=now,
        )

    def generate(
        self, queues: Sequence[Queue], stretch: Stretch, *, until: datetime, lasting: timedelta
    ) -> int:
        """Write a stretch of made-up history, and say how many rows it took. The queues are of one team."""
        written = run_one(
            "message_log/generate",
            team_id=queues[0].team_id,
            queue_id=[queue.pk for queue in queues],
            dlq_id=[queue.dlq_id for queue in queues],
            visibility_timeout=[queue.visibility_timeout for queue in queues],
            max_deliveries=[queue.max_deliveries or MAX_DELIVERIES[1] for queue in queues],
            retention_seconds=[queue.retention_seconds for queue in queues],
            messages=stretch.messages,
            starts_at=stretch.starts_at.timestamp(),
            seconds=lasting.total_seconds(),
            until=until.timestamp(),
            seed=stretch.seed,
            error_types=[error_type for error_type, _ in ERRORS],
            fingerprints=error_fingerprints(),
            poison=ERRORS.index(POISON_ERROR) + 1,
            **stretch.columns,
        )
        return int(written.written)

    def days(self) -> set[date]:
        """The days that have a partition of their own."""
        matches = (DAILY.match(row.name) for row in run("message_log/partitions"))
        return {date(*map(int, match.groups())) for match in matches if match}

    def add_day(self, day: date) -> None:
        """Make a day's partition. Rows that the default partition has caught for it move over."""
        midnight = _midnight(day)
        run_script(
            "message_log/add_partition",
            partition=_partition(day),
            start=sql.Literal(midnight),
            stop=sql.Literal(midnight + timedelta(days=1)),
        )

    def days_in_default(self, before: date) -> set[date]:
        """Earlier days than that of which the default partition has rows."""
        return {row.day for row in run("message_log/days_in_default", before=_midnight(before))}

    def is_in_lake(self, lake: str, day: date) -> bool:
        """Whether the lake has that day exactly as it is here."""
        return bool(run_one("message_log/is_in_lake", lake=lake, day=day).yes)

    def clear_default(self, oldest_kept: date, batch: int) -> int:
        """Remove a batch of rows older than that from the default partition, which no day is dropped with."""
        return int(run_one("message_log/clear_default", before=_midnight(oldest_kept), batch=batch).removed)

    def drop_day(self, day: date) -> None:
        run_script("message_log/drop_partition", partition=_partition(day))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _partition(day: date) -> sql.Identifier:
    return sql.Identifier(f"message_log_{day:%Y%m%d}")
