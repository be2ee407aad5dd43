"""Ctrl-C and SIGTERM, noted at once and acted on at a safe moment.

An exception raised inside the handler could hit between the start of a child and the line that notes
its number, and that child would be left behind.
"""

import signal
from types import FrameType


class StopRequested(Exception):
    """Somebody asked the service to stop."""


class StopSignal:
    def __init__(self) -> None:
        self.times = 0

    def install(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # `nohup make run` outlives its terminal
            signal.signal(signal.SIGHUP, self._note)

    def ignore(self) -> None:
        """Nothing is left to stop.

        Python resets handlers on its way out: one more Ctrl-C would then end it with an error.
        """
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.times += 1

    def check(self) -> None:
        """The heartbeat of everything that waits."""
        if self.times:
            raise StopRequested

    @property
    def hurry(self) -> bool:
        """Asked twice: whoever asks does not want to wait for long polls."""
        return self.times > 1
