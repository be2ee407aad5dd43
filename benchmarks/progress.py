"""How far the run is, on a terminal only; and the moment at which Ctrl-C is listened to."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from simplemq.stop_signal import StopSignal

LOOK = "{desc}: {percentage:3.0f}% |{bar}| {elapsed} of about {total_fmt} s"


class Progress:
    """Counts seconds, because everything that is measured here takes a known number of them."""

    def __init__(self, planned_seconds: float, stop: StopSignal) -> None:
        self.stop = stop
        # disable=None: no bar unless the output is a terminal.
        self.bar = tqdm(total=round(planned_seconds), bar_format=LOOK, disable=None, leave=False)
        self.expected = 0.0

    @contextmanager
    def step(self, what: str, seconds: float) -> Iterator[None]:
        """Something that takes about so many seconds."""
        self.bar.set_description_str(what)
        self.began = time.monotonic()
        self.step_seconds = seconds
        yield
        self.expected += seconds
        self._show(self.expected)

    def heartbeat(self) -> None:
        self.stop.check()
        within = min(time.monotonic() - self.began, self.step_seconds)
        self._show(self.expected + within)

    def close(self) -> None:
        self.bar.close()

    def _show(self, seconds: float) -> None:
        """Seldom: drawing takes time from what is being measured."""
        if self.bar.n != int(seconds):
            self.bar.n = int(seconds)
            self.bar.refresh()
