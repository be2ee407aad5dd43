"""Secret fields: hidden wherever a message is shown, until somebody reveals them, which the audit notes."""

import json
import re
from typing import Any

from django.conf import settings

from dlq_console import exact_json, packing

MASK = "••••••"
PREVIEW_CHARACTERS = 160
# A name as JSON writes it, wherever it stands. Longer ones are none that a setting would list.
NAME = re.compile(r'"((?:[^"\\]|\\.){1,100})"\s*:')


def masked(value: Any) -> tuple[Any, int]:
    """The value without its secrets, and how many there are."""
    if isinstance(value, dict):
        found, count = {}, 0
        for name, inner in value.items():
            hidden, more = (MASK, 1) if _is_secret(name) else masked(inner)
            found[name], count = hidden, count + more
        return found, count
    if isinstance(value, list):
        pairs = [masked(inner) for inner in value]
        return [hidden for hidden, _ in pairs], sum(more for _, more in pairs)
    return value, 0


def masked_text(data: str) -> str:
    """The whole body with its secrets hidden; as it is when there are none. What is packed is unpacked."""
    _, text = packing.unpacked(data)
    value, is_json = exact_json.parsed(text)
    if not is_json:
        shown, count = up_to_first_secret(text)
    else:
        value, count = masked(value)
        shown = exact_json.written(value) if count else data
    return shown if count else data


def up_to_first_secret(text: str) -> tuple[str, int]:
    """Of what cannot be read as JSON (cut off, several in a row, nested too deeply) only its beginning is
    certain to hold no secret: nobody knows where the value of one ends."""
    for name in NAME.finditer(text):
        if _is_secret(_decoded(name[1])):
            return f"{text[: name.end()]} {MASK} …", 1
    return text, 0


def preview(beginning: str) -> str:
    """A line for a list, from the beginning of a body."""
    text = exact_json.printable(masked_text(beginning))
    return text if len(text) <= PREVIEW_CHARACTERS else f"{text[:PREVIEW_CHARACTERS]}…"


def names_a_secret(text: str) -> bool:
    return up_to_first_secret(text)[1] > 0


def _is_secret(name: str) -> bool:
    plain = name.lower().replace("-", "").replace("_", "")
    return any(word in plain for word in settings.SIMPLEMQ_MASKED_FIELDS)


def _decoded(name: str) -> str:
    try:
        return str(json.loads(f'"{name}"', strict=False))
    except ValueError:
        return name
