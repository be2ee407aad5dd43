"""The order of delivery within a queue: a rank drawn at the send, lowest first.

Without ageing the rank is the priority alone, and messages of one priority follow by their ids. With ageing
it is the time of the send, moved ahead by so many seconds for each step of priority: a message that has
waited `priority_aging_seconds` longer has caught up with one a step above it. Nothing touches a waiting one.

Once a queue has aged its messages, its ranks carry the time for good; otherwise new messages would come
before the old ones for ever after ageing was turned off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from queues.models import Queue

# More milliseconds than a time has: no wait makes up for a step of priority.
NO_AGEING = 10**13


def step_of(queue: Queue) -> int | None:
    """Milliseconds that a step of priority is worth, or None when ranks carry no time."""
    if queue.priority_aging_seconds is not None:
        return queue.priority_aging_seconds * 1000
    return NO_AGEING if queue.ranks_by_time else None
