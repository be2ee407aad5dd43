"""A WSGI application with one long poll: it notes that it waits, and waits until the server stops."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from queues.shutdown import stopping


def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    start_response("200 OK", [])
    if environ["PATH_INFO"] == "/healthz":
        return [b"ok"]
    Path(os.environ["NOTE_WHEN_PARKED"]).touch()
    return [b"stopping" if stopping.wait(60) else b"nothing happened"]
