"""JSON as text: checked and laid out without being read into values, so that numbers stay as they are."""

import json
import re
from typing import Any, NoReturn

from queues.errors import Invalid

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_INDENT = "  "
# Laid out, a text may grow by its depth at every value: one that is nested deeper is left as it is.
_DEEPEST = 100


def is_json(text: str) -> bool:
    try:
        verify("data", text)
    except Invalid:
        return False
    return True


def verify(field: str, text: str) -> str:
    """Refuses what is not JSON, and says where it stops being so."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise Invalid(
            f"This is not valid JSON: {error.msg}, at line {error.lineno}, column {error.colno}.", field=field
        ) from None
    except ValueError as error:
        raise Invalid(f"This is not valid JSON: {error}", field=field) from None
    except RecursionError:
        raise Invalid("This JSON is nested too deeply.", field=field) from None
    return text


def indented(text: str) -> str:
    """A line for each value. The text has been verified; numbers, order and repeated names stay."""
    parts: list[str] = []
    depth, before = 0, ""
    for piece in _PIECE.findall(text):
        if piece in ("]", "}"):
            depth -= 1
            parts.append("" if before in ("[", "{") else _line(depth))
        elif before in ("[", "{", ","):
            parts.append(_line(depth))
        parts.append(": " if piece == ":" else piece)
        if piece in ("[", "{"):
            depth += 1
            if depth > _DEEPEST:
                return text
        before = piece
    return "".join(parts)


def _line(depth: int) -> str:
    return "\n" + _INDENT * depth


def _no_constant(name: str) -> NoReturn:
    """Python reads NaN and Infinity, which are not JSON."""
    raise ValueError(f"{name} is no JSON value.")


def of(value: Any) -> str:
    """A value laid out the same way, its names in order."""
    return json.dumps(value, indent=len(_INDENT), sort_keys=True, ensure_ascii=False)
