"""The trash: a person takes messages out of a queue, and may put them back while they would have been kept.

A discarded message takes no place of its queue and is in none of its counts. Its stay is logged only when the
trash is emptied: until then nothing has ended.
"""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Left

from queues import ids, limits
from queues.errors import MessageNotFound, QueueFull, QueueNotFound
from queues.events import emit
from queues.models import DiscardedMessage, Message, Outcome, Queue, QueueSlot
from queues.operations import error_groups


def discard(
    queue: Queue, message_ids: Sequence[str], *, by: str, reason: str = "", now: datetime | None = None
) -> int:
    """Move messages of a queue to the trash and say how many; those that a consumer holds now stay."""
    return discard_all(queue, _decoded(message_ids), by=by, reason=reason, now=now)


@transaction.atomic
def discard_all(
    queue: Queue,
    uids: Sequence[uuid.UUID],
    *,
    by: str,
    reason: str = "",
    replaced_by: uuid.UUID | None = None,
    now: datetime | None = None,
) -> int:
    """The same by their uuids; one that an edit has made another of names that one."""
    limits.verify_length("reason", reason, limits.AUDIT_REASON_LENGTH)
    discarded = DiscardedMessage.objects.discard(
        queue, uids, by=by, reason=reason, replaced_by=replaced_by, now=now
    )
    emit("message.moved_out", queue=queue, count=discarded, outcome=Outcome.DISCARDED)
    return discarded


@transaction.atomic
def restore(queue: Queue, message_ids: Sequence[str], now: datetime | None = None, *, by: str = "") -> int:
    """Put messages back, all of them or none: as they were, ready at once. Says how many there were."""
    held = Queue.objects.hold(queue.pk)
    if held is None:
        raise QueueNotFound()
    rows = DiscardedMessage.objects.select_for_update().filter(
        queue_id=held.pk, message_id__in=_decoded(message_ids)
    )
    uids = list(rows.order_by("id").values_list("message_id", flat=True))
    if QueueSlot.objects.take(held, len(uids)) < len(uids):
        raise QueueFull(f"The queue {held.name} has no room for all of them: they stay in the trash.")
    back = DiscardedMessage.objects.restore(held, uids, by, now)
    error_groups.count_back_in(held, back, now)
    restored = len(back)
    QueueSlot.objects.give_back(held, len(uids) - restored)
    emit("message.moved_in", queue=held, count=restored, outcome=Outcome.DISCARDED)
    return restored


def trash_of(queue: Queue) -> QuerySet[DiscardedMessage]:
    """What lies in the trash of a queue, the latest first."""
    return DiscardedMessage.objects.filter(queue_id=queue.pk).order_by("-id")


def in_brief(discarded: QuerySet[DiscardedMessage]) -> QuerySet[DiscardedMessage]:
    """With the `beginning` of each body instead of the whole row."""
    return discarded.defer("row").annotate(beginning=Left(KT("row__data"), limits.BEGINNING_CHARACTERS))


def find(queue: Queue, message_id: str) -> DiscardedMessage:
    """One discarded message of this queue."""
    discarded = trash_of(queue).filter(message_id__in=_decoded([message_id])).first()
    if discarded is None:
        raise MessageNotFound()
    return discarded


def as_message(discarded: DiscardedMessage) -> Message:
    """The message as it was, to be looked at as any other. It is not in the table: never save it."""
    fields = Message._meta.concrete_fields
    values = [field.to_python(discarded.row.get(field.column)) for field in fields]
    return Message.from_db(None, [field.attname for field in fields], values)


def empty(batch: int, now: datetime | None = None) -> int:
    """Remove and log what has lain there long enough, of whichever queue."""
    return DiscardedMessage.objects.purge(batch, now)


def _decoded(message_ids: Iterable[str]) -> list[uuid.UUID]:
    """What is no id of a message names none."""
    return [uid for text in message_ids if (uid := ids.decode("msg", text))]
