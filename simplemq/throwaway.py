"""A PostgreSQL and secrets that matter to nobody, for tests and checks.

`python -m simplemq.throwaway COMMAND …` runs a command with them.
"""

import os
import secrets
import subprocess
import sys
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from simplemq.embedded_postgres import EmbeddedPostgres
from simplemq.errors import AlreadyInUse, one_sentence_for_people

HOMES = Path(__file__).resolve().parent.parent / ".simplemq-test"
# Nothing in here has to survive a power cut.
FAST = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "128MB"}


def fill_environment(stack: ExitStack) -> None:
    """Settings that are given stay; the server stops when the stack is closed."""
    for name in ("SIMPLEMQ_SECRET_KEY", "SIMPLEMQ_KEY_ENCRYPTION_SECRETS"):
        os.environ.setdefault(name, secrets.token_urlsafe(48))
    if not os.environ.get("DATABASE_URL"):
        server = _start_server()
        stack.callback(server.stop)
        os.environ["DATABASE_URL"] = server.url


def _start_server() -> EmbeddedPostgres:
    """Kept for the next run, because initdb takes longer than a start; a run beside us has its own."""
    for number in count(1):
        server = EmbeddedPostgres(HOMES / str(number), settings=FAST)
        try:
            return server.start()
        except AlreadyInUse:
            continue
    raise AssertionError("count() does not end")


def main(command: list[str]) -> int:
    with one_sentence_for_people(), ExitStack() as stack:
        fill_environment(stack)
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
