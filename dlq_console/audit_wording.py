"""Entries of the audit in words: what was done, and its details one by one."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from queues import ids
from queues.models import Action, AuditEntry

NAMES = {
    "ids": "Messages",
    "count": "How many",
    "moved": "Moved",
    "planned": "Planned",
    "redrive_id": "Redrive",
    "redrive": "Redrive",
    "new_message": "New message",
    "to": "To",
}
NO_VALUES: tuple[Any, ...] = (None, "", [], {})
MOST_VALUES = 10
LONGEST = 300
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Piece:
    """A value as text; an id leads to what it names."""

    text: str
    is_id: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    values: list[Piece]
    before: list[Piece] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    row: AuditEntry
    action: str
    subject: Piece | None
    facts: list[Fact]


def described(entry: AuditEntry) -> Entry:
    return Entry(
        entry,
        action_words(entry.action),
        _piece(entry.subject) if entry.subject else None,
        list(_facts(entry.detail if isinstance(entry.detail, dict) else {})),
    )


def action_words(action: str) -> str:
    return Action(action).label.capitalize() if action in Action.values else action


def _facts(detail: Mapping[str, Any]) -> Iterator[Fact]:
    """A setting that was changed shows what it was."""
    if "before" in detail and "after" in detail:
        yield from _changes(detail["before"], detail["after"])
    for name, value in detail.items():
        if name in ("before", "after") or value in NO_VALUES:
            continue
        if isinstance(value, dict):
            yield from _inner(name, value)
        else:
            yield Fact(_name(name), _pieces(value))


def _inner(name: str, value: dict[str, Any]) -> Iterator[Fact]:
    """Settings stand for themselves; other things belong to something: "Skipped, leased"."""
    for fact in _facts(value):
        named = fact.name if name == "settings" else f"{_name(name)}, {fact.name.lower()}"
        yield Fact(named, fact.values, fact.before)


def _changes(before: Any, after: Any) -> Iterator[Fact]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        yield _change("changed", before, after)
        return
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            yield _change(name, before.get(name), after.get(name))


def _change(name: str, before: Any, after: Any) -> Fact:
    return Fact(_name(name), _pieces(after), before=_pieces(before))


def _pieces(value: Any) -> list[Piece]:
    if isinstance(value, list) and value and not any(isinstance(each, dict | list) for each in value):
        more = [Piece(f"and {len(value) - MOST_VALUES:,} more")] if len(value) > MOST_VALUES else []
        return [*(_piece(each) for each in value[:MOST_VALUES]), *more]
    return [_piece(value)]


def _piece(value: Any) -> Piece:
    if value in NO_VALUES:
        return Piece(NOTHING)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    is_id = any(ids.decode(prefix, text) for prefix in ("msg", "q", "rd"))
    return Piece(text if len(text) <= LONGEST else f"{text[:LONGEST]}…", is_id)


def _name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " ").capitalize())
