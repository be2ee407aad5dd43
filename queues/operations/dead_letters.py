"""Dead letters: messages whose deliveries are used up go to another queue, and come back when asked for."""

import uuid
from datetime import datetime

from django.db import transaction

from queues import ids
from queues.errors import MessageNotFound, NotADeadLetter, QueueFull, SourceDeleted
from queues.events import emit
from queues.models import Message, MessageLog, Outcome, Queue, QueueSlot, State
from queues.operations import dlq_creation

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


def requeue(dlq: Queue, message_id: str, now: datetime | None = None) -> Queue:
    """Move one dead letter back to the queue it died in, to be delivered at once; answers that queue."""
    uid = ids.decode("msg", message_id)
    with transaction.atomic():
        message = Message.objects.select_for_update().filter(queue_id=dlq.pk, id=uid).first() if uid else None
        if message is None or message.state == State.EXPIRED:
            raise MessageNotFound()
        if message.source_queue_id is None:
            raise NotADeadLetter()
        target = Queue.objects.hold(message.source_queue_id)
        if target is None:
            raise SourceDeleted()
        if not QueueSlot.objects.take(target, 1):
            raise QueueFull(f"The queue {target.name} is full: the message stays where it is.")
        _move_back(dlq, target, message.id, now)
    return target


def _revive(dlq: Queue) -> int:
    """A queue that has become a dead-letter queue since: its messages do not die, so they are ready again."""
    return Message.objects.filter(ended_in=dlq.pk, state=State.EXHAUSTED).update(state=State.READY)


def _move_to_dlq(queue: Queue, dlq: Queue, message_ids: list[uuid.UUID], now: datetime | None) -> None:
    MessageLog.objects.append(queue, message_ids, Outcome.DEAD_LETTERED, now)
    Message.objects.dead_letter(queue, dlq, message_ids, MAX_DELIVERIES, now)
    QueueSlot.objects.give_back(queue, len(message_ids))
    _report_move(queue, dlq, len(message_ids), Outcome.DEAD_LETTERED)


def _move_back(dlq: Queue, target: Queue, uid: uuid.UUID, now: datetime | None) -> None:
    MessageLog.objects.append(dlq, [uid], Outcome.REQUEUED, now)
    Message.objects.requeue(dlq, target, [uid], now)
    QueueSlot.objects.give_back(dlq, 1)
    _report_move(dlq, target, 1, Outcome.REQUEUED)


def _report_move(source: Queue, target: Queue, count: int, outcome: Outcome) -> None:
    emit("message.moved_out", queue=source, count=count, outcome=outcome)
    emit("message.moved_in", queue=target, count=count, outcome=outcome)
