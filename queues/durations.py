"""Lengths of time as people read and type them."""

import re
from decimal import Decimal

UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
LONGEST_IN_SECONDS = 120  # "90 s" is read faster than "1 min 30 s"

# What people type for a unit, in the singular; "days" and "secs" are read too.
SECONDS = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minute"), 60),
    **dict.fromkeys(("h", "hr", "hour"), 3_600),
    **dict.fromkeys(("d", "day"), 86_400),
    **dict.fromkeys(("w", "week"), 604_800),
}
NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,20})?"
PART = re.compile(rf"({NUMBER})\s*([a-z]+)\s*")
PLAIN = re.compile(rf"{NUMBER}\Z")


def in_words(seconds: float, parts: int = 2) -> str:
    """The largest units that say something: "90 s", "1 h 30 min", "4 d"."""
    if seconds < 1:
        return "< 1 s" if seconds > 0 else "0 s"
    left = int(seconds)
    if left <= LONGEST_IN_SECONDS and parts > 1:
        return f"{left} s"
    words: list[str] = []
    for length, unit in UNITS:
        amount, left = divmod(left, length)
        if amount:
            words.append(f"{amount} {unit}")
        if (words and not amount) or len(words) == parts:
            break
    return " ".join(words)


def precisely(seconds: float) -> str:
    """The same with what is below a second: "40 ms", "2.5 s"."""
    if 0 < seconds < 1:
        return f"{max(round(seconds * 1000), 1)} ms"
    is_broken = seconds < 10 and seconds != int(seconds)
    return f"{seconds:.1f}".removesuffix(".0") + " s" if is_broken else in_words(seconds)


def exactly(seconds: float) -> str:
    """Every unit it has, for a field to be typed in: `read` finds the same number again."""
    if seconds <= LONGEST_IN_SECONDS or seconds != int(seconds):
        return f"{seconds} s"
    words, left = [], int(seconds)
    for length, unit in UNITS:
        amount, left = divmod(left, length)
        if amount:
            words.append(f"{amount} {unit}")
    return " ".join(words)


def read(text: str) -> int | float:
    """Seconds from "4 days", "30s", "1.5 h", "1 h 30 min" or a plain number of them. ValueError otherwise."""
    text = text.strip().lower()
    seconds, place = Decimal(0), 0
    if PLAIN.match(text):
        seconds, place = Decimal(text), len(text)
    while match := PART.match(text, place):
        seconds += Decimal(match[1]) * _length_of(match[2])
        place = match.end()
    if not text or place < len(text):
        raise ValueError(f"{text[:40]!r} is no length of time")
    return int(seconds) if seconds == int(seconds) else float(seconds)


def _length_of(unit: str) -> int:
    length = SECONDS.get(unit) or SECONDS.get(unit.removesuffix("s"))
    if length is None:
        raise ValueError(f"{unit[:40]!r} is no unit of time")
    return length
