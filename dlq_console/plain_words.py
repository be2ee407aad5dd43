"""What the settings of a queue mean, in sentences."""

import math
from collections.abc import Iterator

from dlq_console.templatetags.console_text import size
from queues import limits
from queues.durations import in_words
from queues.models import Mode, Queue


def sentences(queue: Queue) -> list[str]:
    """How a message fares in this queue, from its send to its end."""
    return [*_arrival(queue), _delivery(queue), *_failure(queue), *_end(queue), *_promise(queue)]


def _arrival(queue: Queue) -> Iterator[str]:
    largest = size(queue.max_message_bytes)
    if queue.queue_size is None:
        yield f"It takes any number of messages of up to {largest}."
    else:
        yield f"It takes {queue.queue_size:,} messages of up to {largest}; further ones are refused."
    if queue.delay_seconds:
        yield f"A message waits {in_words(queue.delay_seconds)} before its first delivery."


def _delivery(queue: Queue) -> str:
    order = "in the order of its group" if queue.mode == Mode.FIFO else "by priority, oldest first"
    return (
        f"Messages are delivered {order}. A consumer has {in_words(queue.visibility_timeout)} "
        "to finish a message before it is delivered again."
    )


def _failure(queue: Queue) -> Iterator[str]:
    most = queue.effective_max_deliveries
    if queue.is_dlq:
        yield "It keeps dead letters: they are never delivered often enough to die again."
    elif most is None:
        yield f"A message that fails is delivered again until it is finished or expires{_pause(queue)}."
    else:
        times = "once" if most == 1 else f"{most} times at the most{_pause(queue)}"
        where = f"the dead-letter queue {queue.dlq.name}" if queue.dlq else "a dead-letter queue"
        kept = in_words(queue.dlq.retention_seconds if queue.dlq else limits.DLQ_RETENTION_SECONDS)
        yield f"A message is delivered {times}, then moved to {where} and kept there for {kept}."


def _pause(queue: Queue) -> str:
    """How long it waits between two deliveries: the first pause, and the longest it comes to."""
    if not queue.backoff:
        return ""
    base, last = queue.backoff["base_seconds"], _last_pause(queue)
    growing = f", growing to {in_words(round(last))}" if last > base else ""
    jitter = queue.backoff["jitter"]
    about = f", give or take {jitter * 100:g} %" if jitter else ""
    return f", {in_words(base)} apart{growing}{about}"


def _last_pause(queue: Queue) -> float:
    """Before its last delivery: base * factor ^ (deliveries - 1), capped by the exponent, as in nack.sql."""
    parts: dict[str, float] = queue.backoff or {}
    base, factor, longest = (parts[part] for part in ("base_seconds", "factor", "max_seconds"))
    most = queue.effective_max_deliveries
    exponent = math.inf if most is None else max(0, most - 2)
    growth = exponent * math.log(factor) if factor > 1 else 0.0
    return base * math.exp(min(growth, math.log(longest / base)))


def _end(queue: Queue) -> Iterator[str]:
    yield f"What nobody finishes is removed after {in_words(queue.retention_seconds)}."


def _promise(queue: Queue) -> Iterator[str]:
    if queue.target_age_seconds is not None:
        yield f"No message should wait longer than {in_words(queue.target_age_seconds)}."
    if queue.priority_aging_seconds is not None:
        yield f"A waiting message gains priority every {in_words(queue.priority_aging_seconds)}."
    if queue.allow_edit:
        yield "Its dead letters may be edited and sent again."
