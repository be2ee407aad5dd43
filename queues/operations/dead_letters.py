"""Dead letters: messages whose deliveries are used up go to another queue, and come back when asked for."""

import uuid
from datetime import datetime

from django.db import transaction

from queues import fingerprints, ids
from queues.errors import (
    AlreadyReceived,
    MessageNotFound,
    NotADeadLetter,
    QueueFull,
    QueueNotFound,
    SourceDeleted,
)
from queues.events import emit
from queues.managers import nudges
from queues.models import ErrorGroup, Message, MessageLog, Outcome, Queue, QueueSlot, State
from queues.models.error_group import IN, OUT
from queues.operations import dlq_creation, error_groups

MAX_DELIVERIES = "max_deliveries_exceeded"


def bury(queue: Queue, batch: int, now: datetime | None = None) -> int:
    """Move exhausted messages to the dead-letter queue, as many as fit; the rest stay exhausted."""
    if queue.is_dlq:
        return _revive(queue)
    with transaction.atomic():
        message_ids = Message.objects.lock_exhausted(queue, batch)
        if not message_ids:
            return 0
        dlq = dlq_creation.hold_dlq_of(queue)
        if dlq is None:
            return 0
        fitting = message_ids[: QueueSlot.objects.take(dlq, len(message_ids))]
        if fitting:
            _move_to_dlq(queue, dlq, fitting, now)
        return len(fitting)


def bury_one(queue: Queue, uid: uuid.UUID, now: datetime | None = None) -> Queue | None:
    """Move one exhausted message, which the caller holds, and answer where; None when there is no room."""
    dlq = dlq_creation.hold_dlq_of(queue)
    if dlq is None or not QueueSlot.objects.take(dlq, 1):
        return None
    _move_to_dlq(queue, dlq, [uid], now)
    return dlq


def requeue(dlq: Queue, message_id: str, now: datetime | None = None, requested_by: str = "") -> Queue:
    """Move one dead letter back to the queue it died in, to be delivered at once; answers that queue."""
    with transaction.atomic():
        message, target = hold_letter(dlq, message_id)
        if not QueueSlot.objects.take(target, 1):
            raise QueueFull(f"The queue {target.name} is full: the message stays where it is.")
        _move_back(dlq, target, message.id, requested_by, now)
    return target


@transaction.atomic
def undo_requeue(dlq: Queue, message_id: str, now: datetime | None = None, requested_by: str = "") -> None:
    """Pull back what was requeued and nobody has received yet: it is a dead letter again, as before."""
    uid = ids.decode("msg", message_id)
    held = Queue.objects.hold(dlq.pk)
    if held is None:
        raise QueueNotFound()
    row = Message.objects.lock_requeued(held, uid) if uid else None
    if row is None:
        raise MessageNotFound()
    if row.undone:  # asked for twice
        return
    if not row.untouched:
        raise AlreadyReceived()
    if not QueueSlot.objects.take(held, 1):
        raise QueueFull(f"The queue {held.name} is full: the message stays where it is.")
    _pull_back(Queue.objects.get(pk=row.queue_id), held, row.id, requested_by, now)


def hold_letter(dlq: Queue, message_id: str) -> tuple[Message, Queue]:
    """A dead letter and the queue it died in; neither changes until the transaction ends."""
    uid = ids.decode("msg", message_id)
    message = Message.objects.select_for_update().filter(queue_id=dlq.pk, id=uid).first() if uid else None
    if message is None or message.state == State.EXPIRED:
        raise MessageNotFound()
    if message.source_queue_id is None:
        raise NotADeadLetter()
    target = Queue.objects.hold(message.source_queue_id)
    if target is None:
        raise SourceDeleted()
    return message, target


def _revive(dlq: Queue) -> int:
    """A queue that has become a dead-letter queue since: its messages do not die, so they are ready again."""
    exhausted = Message.objects.filter(ended_in=dlq.pk, state=State.EXHAUSTED)
    if not dlq.is_fifo:
        return exhausted.update(state=State.READY)
    with transaction.atomic():
        nudges.leave(dlq, list(exhausted.select_for_update().order_by("id").values_list("id", flat=True)))
        return exhausted.update(state=State.READY)


def _move_to_dlq(queue: Queue, dlq: Queue, message_ids: list[uuid.UUID], now: datetime | None) -> None:
    MessageLog.objects.append(queue, message_ids, Outcome.DEAD_LETTERED, now)
    bodies = error_groups.silent_bodies(Message.objects.filter(queue_id=queue.pk, id__in=message_ids))
    guesses = [fingerprints.of_shape(queue.pk, bodies[uid]) if uid in bodies else None for uid in message_ids]
    titles = [fingerprints.shape_title(bodies[uid]) if uid in bodies else None for uid in message_ids]
    Message.objects.dead_letter(queue, dlq, message_ids, guesses, MAX_DELIVERIES, now)
    ErrorGroup.objects.append(dlq.pk, message_ids, IN, arrived=True, titles=titles, now=now)
    QueueSlot.objects.give_back(queue, len(message_ids))
    _report_move(queue, dlq, len(message_ids), Outcome.DEAD_LETTERED)


def _move_back(dlq: Queue, target: Queue, uid: uuid.UUID, by: str, now: datetime | None) -> None:
    MessageLog.objects.append(dlq, [uid], Outcome.REQUEUED, now)
    ErrorGroup.objects.append(dlq.pk, [uid], OUT, now=now)
    Message.objects.retry(dlq, target, [uid], event="requeued", by=by, now=now)
    QueueSlot.objects.give_back(dlq, 1)
    _report_move(dlq, target, 1, Outcome.REQUEUED)


def _pull_back(queue: Queue, dlq: Queue, uid: uuid.UUID, by: str, now: datetime | None) -> None:
    """The short stay is logged as ended by a requeue: it neither failed nor succeeded there."""
    MessageLog.objects.append(queue, [uid], Outcome.REQUEUED, now)
    Message.objects.undo_retry(queue, dlq, [uid], event="requeue_undone", by=by, now=now)
    error_groups.count_back_in(dlq, [uid], now)
    QueueSlot.objects.give_back(queue, 1)
    _report_move(queue, dlq, 1, Outcome.REQUEUED)


def _report_move(source: Queue, target: Queue, count: int, outcome: Outcome) -> None:
    emit("message.moved_out", queue=source, count=count, outcome=outcome)
    emit("message.moved_in", queue=target, count=count, outcome=outcome)
