"""What a payload looks like to a person: a tree of its JSON, its text, what it holds when unpacked.

Payloads are hostile text. Everything here is bounded (depth, entries, characters) and answers plain strings;
the templates escape them.
"""

from dataclasses import dataclass, field
from typing import Any

from dlq_console import exact_json, masking, packing
from dlq_console.exact_json import Number, printable, quoted

SHOWN_CHARACTERS = 65_536
LINE_CHARACTERS = 2_000
TREE_NODES = 2_000
TREE_DEPTH = 40


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
    unpacked_from: str = ""  # "base64", "gzip in base64"


def view(data: str, *, reveal: bool = False) -> Payload:
    """The payload as it is shown, masked unless it is to be revealed."""
    how, text = packing.unpacked(data)
    value, is_json = exact_json.parsed(text)
    if not is_json:
        shown, count = (text, 0) if reveal else masking.up_to_first_secret(text)
        return Payload(*_cut(shown), masked=count, unpacked_from=how)
    count = 0
    if not reveal:
        value, count = masking.masked(value)
    shown = exact_json.written(value) if count else text
    return Payload(*_cut(shown), masked=count, tree=_Tree().of("", value, 0), unpacked_from=how)


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
        text = value if isinstance(value, Number) else quoted(value)
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
