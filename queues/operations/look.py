"""Looking at messages and counts. Nothing here changes a delivery."""

import json
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.utils import timezone

from queues import ids
from queues.errors import Invalid, MessageNotFound
from queues.limits import BEGINNING_CHARACTERS, EXACT_COUNT
from queues.models import Message, Queue, QueueSlot, QueueTally, State
from queues.models.message import PARKED
from queues.values import Counts

VISIBLE_STATES = (State.READY, State.LEASED, State.DELAYED, State.EXHAUSTED)


def find_message(queue: Queue, message_id: str) -> Message:
    """One live message of this queue."""
    uid = ids.decode("msg", message_id)
    message = browse(queue).filter(id=uid).first() if uid else None
    if message is None:
        raise MessageNotFound()
    return message


def browse(
    queue: Queue,
    *,
    state: str | None = None,
    group_id: str | None = None,
    q: str | None = None,
    attribute: tuple[str, str] | None = None,
    error_type: str | None = None,
    fingerprint: str | None = None,
    now: datetime | None = None,
) -> QuerySet[Message]:
    """The live messages of a queue, oldest first, narrowed by whatever is given."""
    messages = _in_scope(queue, state).exclude(state=State.EXPIRED).order_by("id")
    if state is not None:
        messages = messages.filter(_in_state(state, now or timezone.now()))
    if q is not None:
        messages = messages.filter(data__contains=q)
    if attribute is not None:
        messages = messages.filter(has_attribute(*attribute))
    exact = {"group_id": group_id, "error_type": error_type, "fingerprint": fingerprint}
    return messages.filter(**{field: value for field, value in exact.items() if value is not None})


def in_brief(messages: QuerySet[Message]) -> QuerySet[Message]:
    """With the `beginning` of each body instead of all of it: a page of large ones would be megabytes."""
    return messages.defer("data").annotate(beginning=Left("data", BEGINNING_CHARACTERS))


def state_of(message: Message, now: datetime | None = None) -> str:
    """Its state as a consumer would find it: a delay or lease that is over means ready."""
    is_due = message.visible_at <= (now or timezone.now())
    return State.READY if message.state in (State.LEASED, State.DELAYED) and is_due else message.state


def count(queue: Queue, now: datetime | None = None) -> Counts:
    """Counts by state, exact up to a bound; above it the total is an estimate."""
    row = Message.objects.count_up_to(queue, EXACT_COUNT + 1, now)
    numbers = {
        "visible": row.ready + row.due,
        "in_flight": row.leased,
        "delayed": row.delayed,
        "exhausted": row.exhausted,
    }
    exact = max(row.ready, row.due, row.parked, row.ended) <= EXACT_COUNT
    if not exact:
        # What was not counted is in the states that reached the bound; the fullest of them gets it.
        capped = _capped(row)
        fullest = max(capped, key=numbers.__getitem__)
        numbers[fullest] += max(0, _estimate(queue) - sum(numbers.values()))
    total = sum(numbers.values())
    return Counts(total=total, **numbers, exact=exact, oldest_age_seconds=_oldest_age(queue, now))


def _capped(row: Any) -> list[str]:
    """The states that hold more than were counted."""
    visible = ["visible"] if max(row.ready, row.due) > EXACT_COUNT else []
    parked = ["in_flight", "delayed"] if row.parked > EXACT_COUNT else []
    return [*visible, *parked, *(["exhausted"] if row.ended > EXACT_COUNT else [])]


def source_queues(queue: Queue) -> list[Queue]:
    """The queues whose dead letters come here."""
    return list(Queue.objects.live().filter(dlq=queue).order_by("id")) if queue.is_dlq else []


def has_attribute(name: str, text: str) -> Q:
    """The text as it stands, or the number or truth value it spells."""
    found = Q(attributes__contains={name: text})
    try:
        value = json.loads(text)
    except ValueError:
        return found
    return found | Q(attributes__contains={name: value}) if isinstance(value, int | float) else found


def _in_scope(queue: Queue, state: str | None) -> QuerySet[Message]:
    """The messages among which those of a state are looked for.

    By their own index while they are few: in the order of the queue one might walk all of it to find none.
    When they are many, sorting them would take as long, and the walk soon finds enough.
    """
    if state == State.EXHAUSTED:
        return Message.objects.filter(ended_in=queue.pk)
    parked = Message.objects.filter(parked_in=queue.pk)
    if state in PARKED and parked[: EXACT_COUNT + 1].count() <= EXACT_COUNT:
        return parked
    return Message.objects.filter(queue_id=queue.pk)


def _in_state(state: str, now: datetime) -> Q:
    if state not in VISIBLE_STATES:
        raise Invalid(f"Must be one of {', '.join(VISIBLE_STATES)}.", field="state")
    due = Q(state__in=(State.LEASED, State.DELAYED), visible_at__lte=now)
    if state == State.READY:
        return Q(state=State.READY) | due
    return Q(state=state) & ~due


def _estimate(queue: Queue) -> int:
    if queue.queue_size is not None:
        return queue.queue_size - QueueSlot.objects.free(queue)
    return QueueTally.objects.estimate(queue.pk)


def _oldest_age(queue: Queue, now: datetime | None) -> float | None:
    since = Message.objects.waiting_since(queue)
    return max(0.0, ((now or timezone.now()) - since).total_seconds()) if since else None
