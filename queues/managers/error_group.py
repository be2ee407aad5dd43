"""Groups of dead letters: folded counts, and the deltas that wait to be folded."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from queues.limits import BEGINNING_CHARACTERS
from queues.managers.statements import run, run_one

if TYPE_CHECKING:
    from queues.models import ErrorGroup  # noqa: F401  # named in the class's base


class ErrorGroupManager(models.Manager["ErrorGroup"]):
    def append(
        self,
        queue_id: int,
        message_ids: Sequence[uuid.UUID],
        sign: int,
        arrived: bool = False,
        *,
        titles: Sequence[str | None] = (),
        now: datetime | None = None,
    ) -> None:
        """Count those of the messages that are dead letters of this queue into their groups, or out of them.

        Call it in the transaction of the move: after a move in (+1), before a move out (-1). `arrived` says
        that they died just now; one that is brought back died earlier. Titles are for those that died
        without an error.
        """
        run(
            "error_group/append",
            queue_id=queue_id,
            ids=list(message_ids),
            titles=list(titles) or [None] * len(message_ids),
            sign=sign,
            arrived=arrived,
            now=now,
        )

    def fold(self, batch: int) -> int:
        return int(run_one("error_group/fold", batch=batch).folded)

    def shown(self, queue_id: int, most: int, fingerprint: str | None = None) -> list[Any]:
        """Rows of the largest groups, or of the one that is named."""
        return run("error_group/shown", queue_id=queue_id, fingerprint=fingerprint, most=most)

    def counts(self, queue_ids: Iterable[int]) -> dict[int, int]:
        """The dead letters of each queue; queues without any are left out."""
        rows = run("error_group/counts", queue_ids=list(queue_ids))
        return {row.queue_id: row.count for row in rows}

    def hours(self, queue_id: int, fingerprints: Iterable[str], since: datetime) -> list[Any]:
        """Rows of `fingerprint`, `bucket` and `arrived`; hours in which nothing died are left out."""
        return run("error_group/hours", queue_id=queue_id, fingerprints=list(fingerprints), since=since)

    def samples(self, queue_id: int, fingerprints: Iterable[str], most: int) -> list[Any]:
        """Rows of `fingerprint`, `id`, `dead_lettered_at` and `beginning`, the newest of each group first."""
        return run(
            "error_group/samples",
            queue_id=queue_id,
            fingerprints=list(fingerprints),
            characters=BEGINNING_CHARACTERS,
            most=most,
        )

    def set_note(self, queue_id: int, fingerprint: str, note: str, by: str, now: datetime | None) -> None:
        run("error_group/note", queue_id=queue_id, fingerprint=fingerprint, note=note, by=by, now=now)

    def prune(self, before: datetime) -> int:
        """Forget empty groups in which nobody died since then, and that nobody wrote about.

        A delta that still waits for one of them makes it anew: an empty group takes no count with it.
        """
        return len(run("error_group/prune", before=before))
