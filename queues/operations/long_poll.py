"""Receiving with patience: when there is nothing, wait for it without holding a database connection."""

import time
from collections.abc import Callable

from queues import limits, shutdown
from queues.models import Queue
from queues.operations.receive import receive
from queues.prober import prober
from queues.values import Delivery
from queues.waiting import room


def receive_or_wait(
    find_queue: Callable[[], Queue],
    limit: int = 1,
    visibility_timeout: int | None = None,
    wait_seconds: int | None = None,
    *,
    by: int | None = None,
    is_gone: Callable[[], bool] = lambda: False,
) -> tuple[Queue, list[Delivery]]:
    """Lease up to `limit` messages, waiting for the first; answers the queue as it was found last.

    Whatever has changed while waiting holds: `find_queue` is asked again before every claim, and may refuse.
    A consumer that is gone by then gets nothing: its messages would stay leased to nobody.
    """
    if wait_seconds is not None:
        limits.verify_range("wait_seconds", wait_seconds, limits.WAIT_SECONDS)
    began, queue = time.monotonic(), find_queue()
    deliveries = receive(queue, limit, visibility_timeout, by=by)
    patience = queue.receive_wait_seconds if wait_seconds is None else wait_seconds
    if deliveries or not patience or shutdown.stopping.is_set():
        return queue, deliveries
    with room.place(queue.pk, queue.team_id) as ticket:
        prober.watch()
        while room.wait(ticket, began + patience - time.monotonic()) and not is_gone():
            queue = find_queue()
            deliveries = receive(queue, limit, visibility_timeout, by=by)
            if deliveries:
                ticket.served = True
                break
    return queue, deliveries
