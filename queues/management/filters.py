"""Filters as people type them: key=value, several of them, `attribute.NAME=value` for attributes."""

import json
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError

ATTRIBUTE = "attribute."


def read(words: Iterable[str]) -> dict[str, Any]:
    """The filter they spell. Which keys there are, and what they may be, is for the engine to say."""
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise CommandError(f"{word!r} is not a filter; write for example error_type=Timeout.")
        if key.startswith(ATTRIBUTE):
            found.setdefault("attribute", {})[key.removeprefix(ATTRIBUTE)] = _scalar(value)
        else:
            found[key] = _value(key, value)
    return found


def _value(key: str, value: str) -> Any:
    if key == "message_ids":
        return value.split(",")
    return _scalar(value) if key == "max_redrive_count" else value


def _scalar(value: str) -> Any:
    """Numbers and booleans as JSON writes them; anything else is text, and text in quotes always is."""
    try:
        read = json.loads(value)
    except ValueError:
        return value
    return read if isinstance(read, str | int | float) else value
