"""What `make run` is told by the environment, checked before anything starts."""

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from simplemq.errors import CannotStart

BASE_DIR = Path(__file__).resolve().parent.parent
PORT_SECONDS = 2


@dataclass(frozen=True)
class Options:
    host: str
    port: int
    data_dir: Path
    database_url: str

    @classmethod
    def from_environment(cls, env: Mapping[str, str]) -> "Options":
        host, _, port = env.get("SIMPLEMQ_BIND", "").rpartition(":")
        return cls(
            host=host or "127.0.0.1",
            port=_port(port or env.get("PORT", "8000")),
            data_dir=Path(env.get("SIMPLEMQ_DATA_DIR") or BASE_DIR / ".simplemq").absolute(),
            database_url=env.get("DATABASE_URL", ""),
        )

    @property
    def bind(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """Where this machine reaches us, also when we listen everywhere."""
        host = "127.0.0.1" if self.host == "0.0.0.0" else self.host  # noqa: S104 - compared, not bound
        return f"http://{host}:{self.port}"

    def make_data_dir(self) -> None:
        try:
            self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.data_dir.chmod(0o700)
        except OSError as problem:
            raise CannotStart(f"cannot use {self.data_dir} for the data: {problem.strerror}.") from None

    def check_port(self) -> None:
        # A service that was just killed may need a moment to let go of the port.
        deadline = time.monotonic() + PORT_SECONDS
        while problem := self._cannot_listen():
            if time.monotonic() > deadline:
                raise CannotStart(
                    f"port {self.port} cannot be used ({problem}): "
                    f"choose another, for example `make run PORT={self.port + 1}`."
                )
            time.sleep(0.1)

    def _cannot_listen(self) -> str:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as problem:
                return os.strerror(problem.errno) if problem.errno else str(problem)
        return ""


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise CannotStart(f"PORT must be a number from 1 to 65535, not '{text}'.")
    return int(text)
