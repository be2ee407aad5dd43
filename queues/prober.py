"""Asks the database, for all who wait in this process together, what has become deliverable.

A message sent elsewhere, a delay or a lease that ran out, a redrive: nobody tells this process, so it asks,
twenty times a second while somebody waits and never otherwise.
"""

import logging
import threading
import time

from django.db import connection

from queues import shutdown
from queues.models import Queue
from queues.waiting import Room, room

logger = logging.getLogger(__name__)

PERIOD_SECONDS = 0.05
LONGEST_REST_SECONDS = 0.5


class Prober:
    def __init__(self, room: Room) -> None:
        self.room = room
        self._lock = threading.Lock()
        self._running = False
        self._failing = False

    def watch(self) -> None:
        """Called by whoever has just entered the room."""
        with self._lock:
            if self._running:
                return
            self._running = True
        threading.Thread(target=self._run, name="prober", daemon=True).start()

    def probe(self) -> None:
        """One look: wakes as many as there are messages for, those who came first."""
        for row in Queue.objects.deliverable(self.room.lengths()):
            if row.deleted:
                self.room.wake_line(row.queue_id)
            else:
                self.room.wake_up_to(row.queue_id, row.messages)

    def _run(self) -> None:
        rest = PERIOD_SECONDS
        while self._goes_on_after(rest):
            began = time.monotonic()
            self._probe_and_let_go()
            took = time.monotonic() - began
            # At a steady beat; but a probe that takes long must not become all the database does, nor must
            # a single slow one leave everybody waiting.
            rest = max(PERIOD_SECONDS - took, min(took, LONGEST_REST_SECONDS))

    def _goes_on_after(self, rest: float) -> bool:
        shutdown.stopping.wait(rest)
        # Under the lock: whoever enters the room now finds this one running, or starts another.
        with self._lock:
            self._running = len(self.room) > 0 and not shutdown.stopping.is_set()
            return self._running

    def _probe_and_let_go(self) -> None:
        """A database that is away is said once, not twenty times a second."""
        try:
            try:
                self.probe()
            finally:
                connection.close()  # back to the pool: a request may need it until the next beat
            self._failing = False
        except Exception:
            if not self._failing:
                logger.exception("Cannot see which queues have messages for those who wait; trying on.")
            self._failing = True


prober = Prober(room)
