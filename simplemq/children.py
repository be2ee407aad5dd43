"""What happens when a long-lived child of the supervisor ends by itself."""

import signal
import time
from collections.abc import Callable

from simplemq import processes
from simplemq.errors import CannotStart

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
STEADY_SECONDS = 60.0


class Essential:
    """Nothing works without it: its end is the end of the service."""

    def __init__(self, name: str, exit_code: Callable[[], int | None]) -> None:
        self.name = name
        self.exit_code = exit_code

    def tend(self) -> None:
        if (code := self.exit_code()) is not None:
            raise CannotStart(f"{self.name} ended unexpectedly (exit code {code}), so everything stops.")


class Restarted:
    """The service lives without it for a while; it comes back after a pause that doubles."""

    def __init__(self, name: str, start: Callable[[], processes.Process], say: Callable[[str], None]) -> None:
        self.name = name
        self.start = start
        self.say = say
        self.pause = FIRST_PAUSE
        self.due_at: float | None = None
        self.process = start()
        self.started_at = time.monotonic()

    def tend(self) -> None:
        if self.process.poll() is None:
            return
        if self.due_at is None:
            self._plan_restart()
        elif time.monotonic() >= self.due_at:
            self._restart()

    def stop(self, seconds: float) -> None:
        processes.stop(self.process, signal.SIGTERM, seconds)

    def _plan_restart(self) -> None:
        now = time.monotonic()
        if now - self.started_at > STEADY_SECONDS:
            self.pause = FIRST_PAUSE
        self.say(f"{self.name} ended (exit code {self.process.returncode}); again in {self.pause:g} s.")
        self.due_at = now + self.pause
        self.pause = min(self.pause * 2, LONGEST_PAUSE)

    def _restart(self) -> None:
        self.process = self.start()
        self.started_at = time.monotonic()
        self.due_at = None
