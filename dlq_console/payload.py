"""What a payload looks like to a person: a tree of its JSON, its text, what it holds when decoded.

Payloads are hostile text. Everything here is bounded (depth, entries, bytes, what comes out of a compressed
body) and answers plain strings; the templates escape them.
"""

import base64
import binascii
import gzip
import io
import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

SHOWN_CHARACTERS = 65_536
LINE_CHARACTERS = 2_000
PARSED_CHARACTERS = 2_000_000  # more than a message may have, or a long one would go unmasked
TREE_NODES = 2_000
TREE_DEPTH = 40
DECODED_BYTES = 262_144
MASK = "••••••"


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the tree: an object or a list with children, or a plain value as it stands in the text."""

    name: str
    kind: str
    text: str = ""
    children: list["Node"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Payload:
    text: str
    is_cut: bool
    masked: int  # how many fields are hidden
    tree: Node | None = None
    decoded_from: str = ""  # "base64", "gzip in base64"


class Number(str):
    """A number as it is written: 12345678901234567890 stays what it is."""

    __slots__ = ()


def view(data: str, *, reveal: bool = False) -> Payload:
    """The payload as it is shown, masked unless it is to be revealed."""
    how, text = decoded(data)
    value, is_json = _parsed(text)
    if not is_json:
        return Payload(*_cut(text), masked=0, decoded_from=how)
    count = 0
    if not reveal:
        value, count = _masked(value)
    shown = text if reveal or not count else written(value)
    return Payload(*_cut(shown), masked=count, tree=_Tree().of("", value, 0), decoded_from=how)


def masked_text(data: str) -> str:
    """The whole payload with its secret fields hidden; as it is when there are none."""
    value, is_json = _parsed(data)
    if not is_json:
        return data
    value, count = _masked(value)
    return written(value) if count else data


def pretty(data: str) -> str:
    """JSON on many lines, so that two of them can be compared; other text as it is."""
    value, is_json = _parsed(data)
    return written(value, indent="  ") if is_json else data


def decoded(data: str) -> tuple[str, str]:
    """What is inside a base64 body, and how it was packed; the body itself when there is nothing."""
    raw = _unpacked(data)
    if raw is None:
        return "", data
    how = "base64"
    if raw[:2] == b"\x1f\x8b":
        how, raw = "gzip in base64", _inflated(raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return "", data
    return (how, text) if text.isprintable() or text.lstrip()[:1] in ("{", "[") else ("", data)


def _unpacked(data: str) -> bytes | None:
    packed = data.strip()
    if len(packed) < 16 or len(packed) % 4 or len(packed) > PARSED_CHARACTERS:
        return None
    try:
        return base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        return None


def _inflated(raw: bytes) -> bytes:
    """At most so many bytes: a small body may unpack to more than there is memory."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            return stream.read(DECODED_BYTES)
    except (OSError, EOFError, zlib.error):
        return raw


def _parsed(text: str) -> tuple[Any, bool]:
    """Numbers stay text: a float would round them. Only objects and lists are worth a tree."""
    if len(text) > PARSED_CHARACTERS or text.lstrip()[:1] not in ("{", "["):
        return None, False
    try:
        return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number), True
    except (ValueError, RecursionError):
        return None, False


def _masked(value: Any) -> tuple[Any, int]:
    if isinstance(value, dict):
        found, count = {}, 0
        for name, inner in value.items():
            hidden, more = (MASK, 1) if _is_secret(name) else _masked(inner)
            found[name], count = hidden, count + more
        return found, count
    if isinstance(value, list):
        pairs = [_masked(inner) for inner in value]
        return [hidden for hidden, _ in pairs], sum(more for _, more in pairs)
    return value, 0


def _is_secret(name: str) -> bool:
    plain = name.lower().replace("-", "").replace("_", "")
    return any(word in plain for word in settings.SIMPLEMQ_MASKED_FIELDS)


def written(value: Any, indent: str = "", level: int = 0) -> str:
    """JSON again, with the numbers as they were written."""
    line, inner = ("\n" + indent * level, "\n" + indent * (level + 1)) if indent else ("", "")
    between = "," + (inner or " ")
    if isinstance(value, dict) and value:
        parts = [f"{_quoted(name)}: {written(each, indent, level + 1)}" for name, each in value.items()]
        return "{" + inner + between.join(parts) + line + "}"
    if isinstance(value, list) and value:
        return "[" + inner + between.join(written(each, indent, level + 1) for each in value) + line + "]"
    return value if isinstance(value, Number) else _quoted(value)


def _quoted(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    """Half a surrogate pair cannot be sent to a browser: it is shown by its number."""
    return text.encode("utf-8", "backslashreplace").decode()


def _cut(text: str) -> tuple[str, bool]:
    """The beginning, in lines that a browser can lay out."""
    text = printable(text)
    lines = []
    for line in text[:SHOWN_CHARACTERS].split("\n"):
        lines += [line[at : at + LINE_CHARACTERS] for at in range(0, len(line) or 1, LINE_CHARACTERS)]
    return "\n".join(lines), len(text) > SHOWN_CHARACTERS


class _Tree:
    """Counts what it has built: a wide payload ends as a deep one does, with a word that it goes on."""

    def __init__(self) -> None:
        self.nodes = 0

    def of(self, name: str, value: Any, depth: int) -> Node:
        self.nodes += 1
        name = printable(name)[:LINE_CHARACTERS]
        if isinstance(value, dict | list):
            return self._branch(name, value, depth)
        kind = "number" if isinstance(value, Number) else type(value).__name__
        text = value if isinstance(value, Number) else _quoted(value)
        return Node(name, {"str": "text", "NoneType": "null"}.get(kind, kind), text[:LINE_CHARACTERS])

    def _branch(self, name: str, value: dict[str, Any] | list[Any], depth: int) -> Node:
        entries = value.items() if isinstance(value, dict) else ((str(i), v) for i, v in enumerate(value))
        kind = "object" if isinstance(value, dict) else "list"
        children = []
        for key, inner in entries:
            if depth >= TREE_DEPTH or self.nodes >= TREE_NODES:
                children.append(Node("…", "more", "and more: see the text"))
                break
            children.append(self.of(key, inner, depth + 1))
        return Node(name, kind, f"{len(value)} {'entry' if len(value) == 1 else 'entries'}", children)
