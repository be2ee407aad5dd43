"""Editing a dead letter: a new message is sent in its stead, and the original goes to the trash."""

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from queues import diffs, ids, json_text, limits
from queues.errors import AlreadyReceived, EditNotAllowed, QueueFull
from queues.managers import nudges
from queues.models import Message, MessageEdit, Queue
from queues.operations import trash
from queues.operations.dead_letters import hold_letter
from queues.operations.send import send
from queues.values import NewMessage


@transaction.atomic
def edit_and_requeue(
    dlq: Queue,
    message_id: str,
    *,
    data: str,
    attributes: dict[str, Any] | None = None,
    by: str,
    reason: str = "",
    now: datetime | None = None,
) -> tuple[Queue, str]:
    """Send a dead letter anew to the queue it died in, with other data; answers that queue and the new id.

    Attributes that are not given stay. What was JSON has to be JSON, or its consumers would choke on it.
    """
    original, target = hold_letter(dlq, message_id)
    if not target.allow_edit:
        raise EditNotAllowed(f"The queue {target.name} does not allow its messages to be edited.")
    limits.verify_text("data", data)
    if json_text.is_json(original.data):
        json_text.verify("data", data)
    edited = _edited(original, data, attributes)
    new_id = _send(target, edited, now)
    _link(target, new_id, original, by, now)
    if not trash.discard_all(dlq, [original.id], by=by, reason=reason, replaced_by=new_id, now=now):
        raise AlreadyReceived("A consumer holds it just now: it can be edited when the lease is over.")
    MessageEdit.objects.create(
        team_id=dlq.team_id,
        queue_id=dlq.pk,
        original_id=original.id,
        new_id=new_id,
        edited_by=by,
        reason=reason,
        diff=_diff(original, edited, new_id),
    )
    return target, ids.message_id(new_id)


def edits_of(message_id: str) -> list[MessageEdit]:
    """The edits that made this message, or another of it; the first one first."""
    uid = ids.decode("msg", message_id)
    edits = (
        MessageEdit.objects.filter(Q(original_id=uid) | Q(new_id=uid)) if uid else MessageEdit.objects.none()
    )
    return list(edits.order_by("id"))


def _edited(original: Message, data: str, attributes: dict[str, Any] | None) -> NewMessage:
    """As the original was sent, to be delivered at once. Its time to live ended when it died."""
    return NewMessage(
        data,
        attributes=original.attributes if attributes is None else attributes,
        delay_seconds=0,
        priority=original.priority,
        group_id=original.group_id,
        max_deliveries=original.max_deliveries,
        trace_id=original.trace_id,
    )


def _send(target: Queue, edited: NewMessage, now: datetime | None) -> uuid.UUID:
    try:
        return send(target, edited, now)
    except QueueFull:
        raise QueueFull(f"The queue {target.name} is full: the message stays as it is.") from None


def _link(target: Queue, new_id: uuid.UUID, original: Message, by: str, now: datetime | None) -> None:
    """The first event of its history; in a line it stands where the original stood.

    Nobody can receive it yet: the send is not committed.
    """
    event = {
        "event": "edited",
        "at": (now or timezone.now()).isoformat(),
        "requested_by": by,
        "message": str(original.id),
    }
    sent = Message.objects.filter(queue_id=target.pk, id=new_id)
    sent.update(history=[event], sequence=original.sequence)
    nudges.leave(target, [new_id])


def _diff(original: Message, edited: NewMessage, new_id: uuid.UUID) -> str:
    """Of the data, and of the attributes when they were changed."""
    names = original.public_id, ids.message_id(new_id)
    data = diffs.unified(original.data, edited.data, *names)
    before, after = (json_text.of(value or {}) for value in (original.attributes, edited.attributes))
    attributes = diffs.unified(before, after, *(f"{name} attributes" for name in names))
    return "\n".join(part for part in (data, attributes) if part)
