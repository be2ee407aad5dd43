"""Why a message is not delivered just now, in one line."""

from datetime import datetime
from typing import NamedTuple

from queues.models import Message, Queue, State
from queues.operations import look
from queues.operations.blocked import blocker_of


class Reason(NamedTuple):
    code: str
    detail: str
    until: datetime | None = None


def why_not_delivered(queue: Queue, message: Message, now: datetime | None = None) -> Reason | None:
    """What keeps the message from the next consumer who asks; None when nothing does."""
    match look.state_of(message, now):
        case State.LEASED:
            return Reason("leased", "A consumer holds it.", message.visible_at)
        case State.DELAYED:
            return Reason("delayed", _delay(message), message.visible_at)
        case State.EXHAUSTED:
            return Reason(
                "exhausted", "Its deliveries are used up, and the dead-letter queue has no room for it."
            )
    if _is_used_up(queue, message):
        return Reason("exhausted", "Its deliveries are used up: the next receive makes it a dead letter.")
    if blocker := blocker_of(queue, message, now):
        return Reason("group_blocked", _block(blocker), blocker.visible_at)
    return Reason("paused", "The queue is paused.") if queue.paused else None


def _delay(message: Message) -> str:
    if message.delivery_count:
        return f"It failed after delivery {message.delivery_count} and waits to be tried again."
    return "It was sent with a delay."


def _block(blocker: Message) -> str:
    if blocker.state == State.LEASED:
        return f"A consumer holds {blocker.public_id} of its group."
    return f"{blocker.public_id} of its group comes before it and is not due yet."


def _is_used_up(queue: Queue, message: Message) -> bool:
    most = message.max_deliveries or queue.max_deliveries
    is_mortal = not queue.is_dlq and message.dead_lettered_at is None
    return is_mortal and most is not None and message.delivery_count >= most
