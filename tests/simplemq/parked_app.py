"""A WSGI application whose only request is a long poll: it waits until the server stops."""

from collections.abc import Callable, Iterable
from typing import Any

from queues.shutdown import stopping


def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/healthz":
        start_response("200 OK", [])
        return [b"ok"]
    start_response("200 OK", [])
    return [b"stopping" if stopping.wait(60) else b"nothing happened"]
