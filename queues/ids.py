"""Public ids: a prefix and 128 bits in base 62. Opaque, URL-safe, the same length for every id."""

import uuid
from datetime import UTC, datetime

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = {char: value for value, char in enumerate(ALPHABET)}
_LENGTH = 22  # 62**22 > 2**128


def encode(prefix: str, value: uuid.UUID) -> str:
    number, chars = value.int, []
    for _ in range(_LENGTH):
        number, digit = divmod(number, 62)
        chars.append(ALPHABET[digit])
    return f"{prefix}_{''.join(reversed(chars))}"


def decode(prefix: str, text: str) -> uuid.UUID | None:
    """The uuid behind a public id, or None for anything `encode` could not have written."""
    head, _, digits = text.partition("_")
    if head != prefix or len(digits) != _LENGTH or not all(char in _DIGITS for char in digits):
        return None
    number = 0
    for char in digits:
        number = number * 62 + _DIGITS[char]
    return uuid.UUID(int=number) if number < 2**128 else None


def queue_id(uid: uuid.UUID) -> str:
    return encode("q", uid)


def message_id(uid: uuid.UUID) -> str:
    return encode("msg", uid)


def topic_id(uid: uuid.UUID) -> str:
    return encode("t", uid)


def topic_message_id(uid: uuid.UUID) -> str:
    return encode("tmsg", uid)


def subscription_id(uid: uuid.UUID) -> str:
    return encode("sub", uid)


def redrive_id(uid: uuid.UUID) -> str:
    return encode("rd", uid)


def drawn_at(uid: uuid.UUID) -> datetime | None:
    """When the id of a message was drawn; None for one that tells no time of this world."""
    try:
        return datetime.fromtimestamp((uid.int >> 80) / 1000, UTC)
    except (OverflowError, ValueError):
        return None


def oldest_at(moment: datetime, *, seconds_before: int = 0) -> uuid.UUID:
    """The smallest message id that could have been drawn then: ids begin with their time in milliseconds."""
    milliseconds = int(moment.timestamp() - seconds_before) * 1000
    return uuid.UUID(int=max(milliseconds, 0) << 80)
