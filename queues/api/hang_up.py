"""Whether the client is still there. A message leased to one that hung up would be lost to the others."""

import socket
from _socket import socket as plain_socket

from django.http import HttpRequest

PEEK = socket.MSG_PEEK | socket.MSG_DONTWAIT


def hung_up(request: HttpRequest) -> bool:
    """Looks without reading. Where there is no socket to look at, as in tests, the client is there."""
    connection = request.META.get("gunicorn.socket")
    try:
        return connection is not None and _peek(connection.fileno()) == b""
    except BlockingIOError:  # nothing to read: it waits for our answer
        return False
    except (OSError, ValueError):  # reset, or closed on our side
        return True


def _peek(number: int) -> bytes:
    # Not through the socket itself: gevent's would wait for something to read.
    peeked = plain_socket(fileno=number)
    try:
        return peeked.recv(1, PEEK)
    finally:
        peeked.detach()
