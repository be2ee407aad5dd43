"""The dead-letter queue of a queue: named by its owner, or made when the first message dies."""

from collections.abc import Iterator
from itertools import count

from django.db import IntegrityError, transaction

from queues import limits
from queues.errors import Conflict
from queues.models import Queue, QueueSlot

FIFO_ENDING = ".fifo"


def hold_dlq_of(queue: Queue) -> Queue | None:
    """The queue's dead-letter queue, made if need be, kept from being deleted until the transaction ends.

    None when the queue itself has been deleted meanwhile: its messages go with it.
    """
    dlq = _named_dlq(queue)
    if dlq is not None:
        return dlq
    # Two processes may bury the first dead letters at once: the row lock lets one of them make the queue.
    source = Queue.objects.live().select_for_update(no_key=True).filter(pk=queue.pk).first()
    return source and (_named_dlq(source) or _make_dlq_of(source))


def make_for(queue: Queue, name: str = "") -> Queue:
    """Its dead-letter queue now, rather than with the first dead letter; as much its own as that would be."""
    if not name:
        return _make_dlq_of(queue)
    limits.verify_queue_name(name, field="dlq_name")
    try:
        with transaction.atomic():
            return _make(queue, name)
    except IntegrityError:
        raise Conflict("The team has a queue of this name.", field="dlq_name") from None


def planned_for(queue: Queue, name: str = "") -> Queue:
    """What `make_for` would make, unsaved: like its source in mode and size, kept 14 days, never dying."""
    return Queue(
        team_id=queue.team_id,
        name=name or next(_names(queue.name)),
        mode=queue.mode,
        queue_size=queue.queue_size,
        visibility_timeout=queue.visibility_timeout,
        max_message_bytes=queue.max_message_bytes,
        max_deliveries=None,
        retention_seconds=limits.DLQ_RETENTION_SECONDS,
        is_dlq=True,
    )


def _named_dlq(queue: Queue) -> Queue | None:
    return Queue.objects.hold(queue.dlq_id) if queue.dlq_id is not None else None


def _make_dlq_of(source: Queue) -> Queue:
    for name in _names(source.name):
        try:
            with transaction.atomic():
                return _make(source, name)
        except IntegrityError:  # the team has a queue of that name
            continue
    raise AssertionError("unreachable: the names do not end")


def _names(source_name: str) -> Iterator[str]:
    """orders-dlq, orders-dlq-2, orders-dlq-3 …, cut to the length a name may have."""
    fifo = FIFO_ENDING if source_name.endswith(FIFO_ENDING) else ""
    stem = source_name.removesuffix(FIFO_ENDING)
    for number in count(1):
        ending = ("-dlq" if number == 1 else f"-dlq-{number}") + fifo
        yield stem[: limits.QUEUE_NAME_LENGTH - len(ending)] + ending


def _make(source: Queue, name: str) -> Queue:
    dlq = planned_for(source, name)
    dlq.save()
    if dlq.queue_size is not None:
        QueueSlot.objects.open(dlq, dlq.queue_size)
    Queue.objects.filter(pk=source.pk).update(dlq=dlq, dlq_is_lazy=True)
    return dlq
