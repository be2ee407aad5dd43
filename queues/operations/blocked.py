"""What keeps a message of a FIFO queue waiting: another of its group."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from queues.models import Message, Queue, State


def blocker_of(queue: Queue, message: Message, now: datetime | None = None) -> Message | None:
    """The message of its group that a consumer holds, else the first before it that is not due yet."""
    if not queue.is_fifo:
        return None
    waiting = _others_of_its_group(queue, message).filter(visible_at__gt=now or timezone.now())
    held = waiting.filter(state=State.LEASED).first()
    return held or waiting.filter(state=State.DELAYED, sequence__lt=message.sequence).first()


def _others_of_its_group(queue: Queue, message: Message) -> QuerySet[Message]:
    group = Message.objects.filter(queue_id=queue.pk, group_id=message.group_id, sequence__isnull=False)
    return group.exclude(id=message.id).order_by("sequence")
