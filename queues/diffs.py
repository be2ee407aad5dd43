"""What was changed between two texts, as a unified diff whose size and cost are bounded."""

import difflib
from collections.abc import Iterable

from queues import json_text

# Above this many lines together they are compared only from both ends: the full comparison is quadratic.
MOST_LINES = 4_000
CONTEXT = 3
LONGEST = 100_000
CUT = "… the rest of the diff is left out"


def unified(before: str, after: str, name_before: str, name_after: str) -> str:
    """The diff of two bodies; JSON is compared a value a line. Nothing when they are the same."""
    old, new = _lines(before), _lines(after)
    if len(old) + len(new) <= MOST_LINES:
        lines: Iterable[str] = difflib.unified_diff(old, new, name_before, name_after, lineterm="", n=CONTEXT)
    else:
        lines = _one_hunk(old, new, name_before, name_after)
    return _capped("\n".join(lines))


def _lines(text: str) -> list[str]:
    return (json_text.indented(text) if json_text.is_json(text) else text).split("\n")


def _one_hunk(old: list[str], new: list[str], name_old: str, name_new: str) -> Iterable[str]:
    """What lies between the lines that both begin and end with, as taken out and put in."""
    if old == new:
        return
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    start, rest = max(0, head - CONTEXT), tail - min(tail, CONTEXT)
    span = [f"{start + 1},{len(lines) - rest - start}" for lines in (old, new)]
    yield from (f"--- {name_old}", f"+++ {name_new}", f"@@ -{span[0]} +{span[1]} @@")
    yield from (f" {line}" for line in old[start:head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail : len(old) - rest])


def _capped(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n{CUT}"
