"""Adds up what happens in each queue, and appends the sums to the database about once a second.

A process that is killed loses the second it had not written yet; maintenance puts such a total right as soon
as the queue is shallow enough to count.
"""

import logging
import threading
import time
from collections import Counter, defaultdict
from typing import Any

from django.db import DatabaseError, InterfaceError, connection

from queues import shutdown
from queues.models import Outcome, QueueTally

FLUSH_SECONDS = 1.0
# How each fact changes the number of messages in the queue it names, and as what it is counted.
LIVE = {"message.sent": 1, "message.moved_in": 1, "message.finished": -1, "message.moved_out": -1}
COUNTED = {"message.sent": "sent", "message.received": "received", "message.nacked": "nacked"}
OUTCOMES = {Outcome.ACKED: "acked", Outcome.EXPIRED: "expired", Outcome.DEAD_LETTERED: "dead_lettered"}

logger = logging.getLogger(__name__)
_lock = threading.Lock()
_pending: defaultdict[int, Counter[str]] = defaultdict(Counter)
_flushed = time.monotonic()


def note(event: str, facts: dict[str, Any]) -> None:
    """Take in one fact of the engine."""
    if not facts.get("count") or not (event in LIVE or event in COUNTED):
        return
    with _lock:
        sums = _pending[facts["queue"].pk]
        sums["live"] += LIVE.get(event, 0) * facts["count"]
        if column := _column(event, facts):
            sums[column] += facts["count"]
    if time.monotonic() - _flushed >= FLUSH_SECONDS:
        flush()


def flush() -> None:
    """Append what has gathered; what cannot be written now is kept for the next time."""
    global _flushed
    with _lock:
        _flushed = time.monotonic()
        sums = dict(_pending)
        _pending.clear()
    try:
        if sums:
            QueueTally.objects.append(sums)
    except (DatabaseError, InterfaceError):
        logger.warning("could not write the running totals; keeping them", exc_info=True)
        with _lock:
            for queue_id, counts in sums.items():
                _pending[queue_id].update(counts)


def flush_regularly() -> None:
    """Start a thread for it: without one, the last facts before a pause would wait for the next ones."""
    threading.Thread(target=_keep_flushing, name="tallies", daemon=True).start()


def _keep_flushing() -> None:
    while not shutdown.stopping.wait(FLUSH_SECONDS):
        flush()
        connection.close()
    flush()


def _column(event: str, facts: dict[str, Any]) -> str | None:
    if event == "message.moved_in":
        return None
    return COUNTED.get(event) or OUTCOMES.get(facts.get("outcome", ""))
