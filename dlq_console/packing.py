"""What is inside a body that was packed: base64, with or without gzip in it."""

import base64
import binascii
import gzip
import io
import zlib

from dlq_console.exact_json import LONGEST

SHORTEST = 16  # shorter words are words
DECODED_BYTES = 262_144
GZIP = b"\x1f\x8b"


def unpacked(data: str) -> tuple[str, str]:
    """How it was packed, and what it holds; nothing and the body itself when it was not."""
    raw = _from_base64(data)
    if raw is None:
        return "", data
    how = "base64"
    if raw[:2] == GZIP:
        how, raw = "gzip in base64", _inflated(raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return "", data
    return (how, text) if text.isprintable() or text.lstrip()[:1] in ("{", "[") else ("", data)


def _from_base64(data: str) -> bytes | None:
    packed = data.strip()
    if len(packed) < SHORTEST or len(packed) % 4 or len(packed) > LONGEST:
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
