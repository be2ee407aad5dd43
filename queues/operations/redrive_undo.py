"""Pulling back what a redrive moved and nobody received yet. They are dead letters again, as before."""

import uuid
from collections import defaultdict
from datetime import datetime
from typing import Any

from django.db import transaction

from queues.errors import QueueFull, QueueNotFound
from queues.events import emit
from queues.models import Message, MessageLog, Outcome, Queue, QueueSlot, RedriveTask
from queues.operations import error_groups

BATCH = 1_000


def pull_back_all(task: RedriveTask, now: datetime | None = None, most: int | None = None) -> int:
    """In batches, until there are no more or, with `most`, until that many are back."""
    undone = 0
    while (most is None or undone < most) and (batch := _pull_back(task.pk, now)):
        undone += batch
    return undone


@transaction.atomic
def _pull_back(task_id: int, now: datetime | None) -> int:
    task = RedriveTask.objects.select_for_update().get(pk=task_id)
    dlq = Queue.objects.hold(task.dlq_id)
    if dlq is None:
        raise QueueNotFound()
    rows = RedriveTask.objects.lock_unreceived(task, BATCH)
    fitting = rows[: QueueSlot.objects.take(dlq, len(rows))] if rows else []
    if rows and not fitting:
        raise QueueFull(
            f"The queue {dlq.name} is full: {task.undone} messages are back in it, the others stay."
        )
    for queue_id, message_ids in _by_queue(fitting).items():
        _move_back(dlq, Queue.objects.get(pk=queue_id), message_ids, now)
    task.undone += len(fitting)
    task.save(update_fields=["undone"])
    return len(fitting)


def _by_queue(rows: list[Any]) -> dict[int, list[uuid.UUID]]:
    found: dict[int, list[uuid.UUID]] = defaultdict(list)
    for row in rows:
        found[row.queue_id].append(row.id)
    return found


def _move_back(dlq: Queue, queue: Queue, message_ids: list[uuid.UUID], now: datetime | None) -> None:
    """The stay in the target is logged as ended by the redrive: it neither failed nor succeeded there."""
    MessageLog.objects.append(queue, message_ids, Outcome.REDRIVEN, now)
    Message.objects.undo_retry(queue, dlq, message_ids, event="redrive_undone", by="", now=now)
    error_groups.count_back_in(dlq, message_ids, now)
    QueueSlot.objects.give_back(queue, len(message_ids))
    emit("message.moved_out", queue=queue, count=len(message_ids), outcome=Outcome.REDRIVEN)
    emit("message.moved_in", queue=dlq, count=len(message_ids), outcome=Outcome.REDRIVEN)
