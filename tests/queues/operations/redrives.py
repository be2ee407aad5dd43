"""Redrives of three dead letters, as tests start and run them."""

from datetime import datetime
from typing import Any

from queues.models import Message, Queue, RedriveTask
from queues.operations import redrive
from queues.operations.redrive_run import advance
from tests.factories import after, dead_letter

BATCH = 100
LATER = after(minutes=1)


def three_dead_letters(source: Queue) -> Queue:
    for data in ("one", "two", "three"):
        dlq = dead_letter(source, data)
    return dlq


def start(dlq: Queue, now: datetime = LATER, **options: Any) -> RedriveTask:
    return redrive.start(dlq, now=now, **options)


def run(task: RedriveTask, now: datetime = LATER) -> RedriveTask:
    """Until it has nothing more to do."""
    while not advance(task.pk, BATCH, now).idle:
        pass
    return RedriveTask.objects.get(pk=task.pk)


def data_in(queue: Queue) -> list[str]:
    return list(Message.objects.filter(queue_id=queue.pk).order_by("id").values_list("data", flat=True))


def edit(dlq: Queue, data: str, **fields: Any) -> None:
    assert Message.objects.filter(queue_id=dlq.pk, data=data).update(**fields) == 1
