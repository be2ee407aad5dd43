"""pgbench scripts made from a recording: the statements of send, receive and ack, replayed without Python."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from benchmarks.recording import Recording, Statement
from benchmarks.translation import gather, translate

PLAIN = Path(__file__).resolve().parent / "sql" / "plain"
REMEMBER = r" \gset"
# What differs from cycle to cycle; everything else is bound as it was when recorded.
CHANGING = {"queue_id": ":queue_id", "ids": ":ids", "receipts": ":receipts"}
PLAIN_PARAMS = {"body": "a message " + "x" * 112, "visibility_timeout": 30}
HELD = "COALESCE(array_agg(id), '{}') AS ids, COALESCE(array_agg(receipt), '{}') AS receipts"
PICK_QUEUE = r"\set queue_id random(:first_queue, :last_queue)"


@dataclass
class Script:
    """Lines for pgbench, the variables they use, and what each statement among the lines is called."""

    lines: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    variables: dict[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def say(self, *lines: str) -> None:
        self.lines += lines

    def ask(
        self, name: str, statement: Statement, *, keep: str = "", binding: Mapping[str, str] | None = None
    ) -> None:
        """Run a statement, and remember the columns of `keep` as variables."""
        bound = self._bind(statement.params, CHANGING | dict(binding or {}))
        text = gather(statement.sql, keep) if keep else statement.sql
        self.lines.append(translate(text, bound) + (REMEMBER if keep else ";"))
        self.names.append(name)

    def _bind(self, params: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
        """The text that stands for each parameter. pgbench's variables know no NULL."""
        number = len(self.names)
        fixed = {name: value for name, value in params.items() if name not in given and value is not None}
        self.variables |= {f"{name}_{number}": literal(value) for name, value in fixed.items()}
        return dict.fromkeys(params, "NULL") | {name: f":{name}_{number}" for name in fixed} | dict(given)


def cycle(recording: Recording) -> Script:
    """Send, receive and ack on one of the queues."""
    script = Script()
    script.say(PICK_QUEUE)
    for call, statements in recording.calls.items():
        for statement in statements:
            script.ask(call, statement, keep=HELD if statement.is_named("message/claim") else "")
    return script


def plain_cycle(recording: Recording) -> Script:
    """The same calls on the plain design: one table, one index, one statement each."""
    script = Script()
    script.say(PICK_QUEUE)
    for call in recording.calls:
        statement = Statement((PLAIN / f"{call}.sql").read_text(), PLAIN_PARAMS)
        script.ask(call, statement, keep=HELD if call == "receive" else "")
    return script


def literal(value: Any) -> str:
    """A value as PostgreSQL reads it from text."""
    if isinstance(value, list | tuple):
        return "{" + ",".join(_elements(value)) + "}"
    if isinstance(value, Enum):
        return str(value.value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _elements(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        yield "NULL" if value is None else f'"{literal(value)}"' if isinstance(value, str) else literal(value)
