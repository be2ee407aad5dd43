"""A keep-alive HTTP client that does next to nothing, so that the machine's time goes to the service."""

import json
import re
import socket
from typing import Any

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
END_OF_HEAD = b"\r\n\r\n"
PATIENCE = 30


class RequestFailed(Exception):
    """The service answered something else than success."""


class Client:
    def __init__(self, host: str, port: int, api_key: str) -> None:
        self.socket = socket.create_connection((host, port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = f"HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {api_key}\r\n".encode()

    def get(self, path: str) -> Any:
        return self._ask("GET", path, b"\r\n")

    def post(self, path: str, body: dict[str, Any]) -> Any:
        raw = json.dumps(body).encode()
        kind = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(raw)
        return self._ask("POST", path, kind + raw)

    def delete(self, path: str) -> Any:
        return self._ask("DELETE", path, b"\r\n")

    def _ask(self, method: str, path: str, rest: bytes) -> Any:
        self.socket.sendall(f"{method} {path} ".encode() + self.head + rest)
        status, body = self._answer()
        if not 200 <= status < 300:
            raise RequestFailed(f"{method} {path}: {status} {body.decode(errors='replace')[:500]}")
        return json.loads(body)

    def _answer(self) -> tuple[int, bytes]:
        received = self._more(b"")
        while END_OF_HEAD not in received:
            received = self._more(received)
        head, _, body = received.partition(END_OF_HEAD)
        length = LENGTH.search(head)
        while length and len(body) < int(length[1]):
            body = self._more(body)
        return int(head[9:12]), body

    def _more(self, received: bytes) -> bytes:
        chunk = self.socket.recv(65536)
        if not chunk:
            raise RequestFailed("the service closed the connection.")
        return received + chunk
