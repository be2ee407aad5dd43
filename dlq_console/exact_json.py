"""JSON read and written without changing what it says: 12345678901234567890 stays what it is.

Bodies are hostile text: what is too long or nested too deeply is no JSON here, so that whatever walks a value
can do so without asking.
"""

import json
import re
from typing import Any

LONGEST = 2_000_000  # more than a message may have, or a long one would go unmasked
DEEPEST = 100
BRACKETS_OR_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]')


class Number(str):
    """A number as it is written; a float would round it."""

    __slots__ = ()


def parsed(text: str) -> tuple[Any, bool]:
    """The value, and whether it is one: only objects and lists are worth it."""
    if len(text) > LONGEST or text.lstrip()[:1] not in ("{", "[") or _is_too_deep(text):
        return None, False
    try:
        return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number), True
    except (ValueError, RecursionError):
        return None, False


def written(value: Any, indent: str = "", level: int = 0) -> str:
    """JSON again, with the numbers as they were."""
    line, inner = ("\n" + indent * level, "\n" + indent * (level + 1)) if indent else ("", "")
    between = "," + (inner or " ")
    if isinstance(value, dict) and value:
        parts = [f"{quoted(name)}: {written(each, indent, level + 1)}" for name, each in value.items()]
        return "{" + inner + between.join(parts) + line + "}"
    if isinstance(value, list) and value:
        return "[" + inner + between.join(written(each, indent, level + 1) for each in value) + line + "]"
    return value if isinstance(value, Number) else quoted(value)


def pretty(text: str) -> str:
    """JSON on many lines; other text as it is."""
    value, is_json = parsed(text)
    return written(value, indent="  ") if is_json else text


def quoted(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    """Half a surrogate pair cannot be sent to a browser: it is shown by its number."""
    return text.encode("utf-8", "backslashreplace").decode()


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = 0
    for found in BRACKETS_OR_TEXT.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > DEEPEST:
            return True
    return False
