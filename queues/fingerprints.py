"""Which failures are the same one: a short fingerprint of what a consumer reports.

The client's own word counts most. Else it is the exception type with the functions at the top of the stack;
without a stack, the type with the message, from which all is stripped that differs between two failures
of one kind. The version in front tells fingerprints of different rules apart.

Messages that died without a word are told apart by where they died and by the shape of their body: a guess,
and marked as one. A body is a stranger's text: whatever it holds, it has a shape.
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

VERSION = "v1"
TOP_FRAMES = 5
DIGEST_LENGTH = 32
GUESS = "shape:"
NO_ERROR = "No error reported"
LONGEST_SHAPED = 65_536  # characters: what is longer is not read, it is "a large body"
MOST_KEYS = 50
KEY_LENGTH = 64
TITLE_LENGTH = 300

PYTHON_FRAME = re.compile(r'^[ \t|]*File "([^"\n]+)", line \d+, in (\S+)', re.MULTILINE)
PYTHON_TRACEBACK = "Traceback (most recent call last)"
# at com.acme.Orders.place(Orders.java:12), perhaps with a module in front and the address of a lambda within
JAVA_FRAME = re.compile(
    r"^[ \t]*at (?:[\w.@-]*/)*([\w$.<>]+(?:/0x[0-9a-f]+[\w$.<>]*)?)\([^()\n]*\)[ \t\r]*$", re.MULTILINE
)
JAVA_CAUSE = re.compile(r"^[ \t]*Caused by: ", re.MULTILINE)
# at place (/app/orders.js:12:3), at /app/orders.js:12:3, place@https://acme.example/orders.js:12:3
V8_FRAME = re.compile(r"^[ \t]*at (?:([^\n(]+?) \()?([^\s()]+?)(?::\d+){1,2}\)?[ \t\r]*$", re.MULTILINE)
GECKO_FRAME = re.compile(r"^([^@\s]*)@(\S+?)(?::\d+){1,2}[ \t\r]*$", re.MULTILINE)

UUID = re.compile(r"\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b", re.IGNORECASE)
QUOTED = re.compile(r"\"[^\"\n]*\"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)")
HEX = re.compile(r"\b[0-9a-f]{8,}\b", re.IGNORECASE)
WORD = re.compile(r"\w+")
NUMBERS = re.compile(r"[-+]?<n>(?:[.,:/-]+<n>)*")
SPACE = re.compile(r"\s+")


def of(error_type: str | None, message: str, stack: str | None = None, given: str | None = None) -> str:
    """The fingerprint of a failure, at most 64 characters long."""
    if given:
        return given
    frames = frames_of(stack or "")
    parts = [error_type or "", *(frames[:TOP_FRAMES] or [stripped(message)])]
    digest = sha256("\n".join(parts).encode()).hexdigest()
    return f"{VERSION}:{digest[:DIGEST_LENGTH]}"


def of_shape(source_queue_id: int, data: str | None) -> str:
    """The fingerprint of a message that died without an error; None for data stands for a large body."""
    digest = sha256(f"{source_queue_id}\n{shape(data)}".encode()).hexdigest()
    return f"{GUESS}{VERSION}:{digest[:DIGEST_LENGTH]}"


def shape_title(data: str | None) -> str:
    title = f"{NO_ERROR}: {shape(data)}"
    return title if len(title) <= TITLE_LENGTH else title[: TITLE_LENGTH - 1] + "…"


def is_guess(fingerprint: str) -> bool:
    return fingerprint.startswith(GUESS)


def shape(data: str | None) -> str:
    """What a body looks like, in words: `an object with order_id, total`."""
    if data is None or len(data) > LONGEST_SHAPED:
        return "a large body"
    try:
        return _shape_of(json.loads(data))
    except (ValueError, RecursionError):
        return "an empty body" if not data.strip() else "a body that is no JSON"


def stripped(text: str) -> str:
    """The text without ids, numbers, hashes and quoted strings: what it says of every message of its kind."""
    text = QUOTED.sub("<str>", UUID.sub("<id>", text))
    text = WORD.sub(_without_number, HEX.sub("<id>", text))
    return SPACE.sub(" ", NUMBERS.sub("<n>", text)).strip()


def frames_of(stack: str) -> list[str]:
    """The functions of a stack, innermost first, without lines and addresses; none if we cannot read it."""
    for read in (_python_frames, _java_frames, _javascript_frames):
        if found := list(read(stack)):
            return found
    return []


def _python_frames(stack: str) -> Iterator[str]:
    """Most recent call last; of chained exceptions the last one is the one that was raised."""
    raised = stack.rpartition(PYTHON_TRACEBACK)[2]
    for path, function in reversed(PYTHON_FRAME.findall(raised)):
        yield f"{_place(path)}:{function}"


def _java_frames(stack: str) -> Iterator[str]:
    """The exception that was raised comes first, its causes follow."""
    raised = JAVA_CAUSE.split(stack, maxsplit=1)[0]
    for method in JAVA_FRAME.findall(raised):
        yield stripped(method)


def _javascript_frames(stack: str) -> Iterator[str]:
    for function, path in V8_FRAME.findall(stack) or GECKO_FRAME.findall(stack):
        yield f"{_place(path)}:{function.removeprefix('async ')}"


def _place(path: str) -> str:
    """The last two parts: the folders above differ from host to host and from release to release."""
    return stripped("/".join(re.split(r"[/\\]+", path.partition("?")[0])[-2:]))


def _without_number(word: re.Match[str]) -> str:
    return "<n>" if any(char.isdigit() for char in word[0]) else word[0]


def _shape_of(value: Any) -> str:
    if isinstance(value, dict):
        keys = sorted({_key(key) for key in value})
        more = ", …" if len(keys) > MOST_KEYS else ""
        return f"an object with {', '.join(keys[:MOST_KEYS])}{more}" if keys else "an empty object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool) or value is None:
        return "a truth value" if value is not None else "null"
    return "a string" if isinstance(value, str) else "a number"


def _key(key: str) -> str:
    """Ids that serve as keys are all the same; what PostgreSQL would not store, or nobody could read, go."""
    return "".join(char if char.isprintable() else "�" for char in stripped(key[:KEY_LENGTH]))
