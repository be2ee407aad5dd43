"""What the service really asks the database: one send, receive and ack, with every statement written down.

Replaying a recording keeps the SQL floor true when a statement gains a parameter, or a call a statement.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import psycopg

from queues.managers.statements import load
from queues.models import Queue
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import NewMessage

# Asked about once a second, not by every call.
NOW_AND_THEN = ("message/head", "queue_tally/append")


@dataclass(frozen=True)
class Statement:
    sql: str
    params: dict[str, Any]

    def is_named(self, name: str) -> bool:
        return self.sql == load(name)


@dataclass(frozen=True)
class Recording:
    """The statements of each call, in order."""

    calls: dict[str, list[Statement]]

    def only(self, call: str) -> "Recording":
        return Recording({call: self.calls[call]})


def record(queue: Queue, body: str, batch: int) -> Recording:
    """One cycle on this queue, which must be empty, and is empty again."""
    messages = [NewMessage(body)] * batch
    _, sending = _written_down(lambda: send_many(queue, messages))
    deliveries, receiving = _written_down(lambda: receive(queue, batch))
    _, acking = _written_down(lambda: ack(queue, [delivery.receipt_handle for delivery in deliveries]))
    return Recording({"send": sending, "receive": receiving, "ack": acking})


def _written_down(call: Callable[[], Any]) -> tuple[Any, list[Statement]]:
    with _noted() as statements:
        answer = call()
    occasional = {load(name) for name in NOW_AND_THEN}
    return answer, [statement for statement in statements if statement.sql not in occasional]


@contextmanager
def _noted() -> Iterator[Sequence[Statement]]:
    statements: list[Statement] = []

    class NotingCursor(psycopg.Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
            if isinstance(params, dict):
                statements.append(Statement(query, params))
            return super().execute(query, params, **options)

    with patch("queues.managers.statements.psycopg.Cursor", NotingCursor):
        yield statements
