"""Ctrl-C, taken as a request: what is under way is finished first. A second one is not to be ignored."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def as_a_request() -> Iterator[threading.Event]:
    """The event is set when somebody wants this to end."""
    wanted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield wanted
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def note(number: int, _: Any) -> None:
        wanted.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in SIGNALS:
        signal.signal(number, note)
    try:
        yield wanted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
