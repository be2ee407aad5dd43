"""Whether this process is on its way out, so that whoever waits for something can answer and go."""

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)

stopping = threading.Event()
_callbacks: list[Callable[[], None]] = []
_lock = threading.Lock()


def when_stopping(callback: Callable[[], None]) -> None:
    """Run the callback once the process is asked to stop; at once if it has been asked already."""
    with _lock:
        if not stopping.is_set():
            _callbacks.append(callback)
            return
    callback()


def begin() -> None:
    """Called by the server when it is asked to stop. Not from a signal handler: it takes a lock."""
    with _lock:
        stopping.set()
        callbacks = _callbacks.copy()
        _callbacks.clear()
    for callback in callbacks:
        _run(callback)


def _run(callback: Callable[[], None]) -> None:
    try:
        callback()
    except Exception:  # one that fails must not keep the others waiting
        logger.exception("A callback failed while the process was stopping.")
