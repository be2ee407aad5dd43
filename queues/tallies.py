"""Adds up what enters and leaves each queue, and appends the sums to the database about once a second.

A process that is killed loses the second it had not written yet; maintenance puts such a total right as soon
as the queue is shallow enough to count.
"""

import logging
import threading
import time
from collections import Counter
from typing import Any

from django.db import DatabaseError

from queues.models import QueueTally

FLUSH_SECONDS = 1.0
# How each fact changes the number of messages in the queue it names.
SIGNS = {"message.sent": 1, "message.moved_in": 1, "message.finished": -1, "message.moved_out": -1}

logger = logging.getLogger(__name__)
_lock = threading.Lock()
_pending: Counter[int] = Counter()
_flushed = time.monotonic()


def note(event: str, facts: dict[str, Any]) -> None:
    sign = SIGNS.get(event)
    if sign is None or facts["queue"].queue_size is not None:  # a bounded queue knows its free places
        return
    with _lock:
        _pending[facts["queue"].pk] += sign * facts["count"]
    if time.monotonic() - _flushed >= FLUSH_SECONDS:
        flush()


def flush() -> None:
    """Append what has gathered; what cannot be written now is kept for the next time."""
    global _flushed
    with _lock:
        _flushed = time.monotonic()
        deltas = {queue_id: live for queue_id, live in _pending.items() if live}
        _pending.clear()
    try:
        if deltas:
            QueueTally.objects.append(deltas)
    except DatabaseError:
        logger.warning("could not write the running totals; keeping them", exc_info=True)
        with _lock:
            _pending.update(deltas)
