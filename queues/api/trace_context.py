"""The trace a request belongs to, as W3C Trace Context writes it."""

import re

from django.http import HttpRequest

# version-trace-parent-flags; a version to come may add more behind them
TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?\Z"
)


def trace_id(request: HttpRequest) -> str | None:
    """The id of the trace, from a well-formed `traceparent`; any other is passed over, as W3C asks."""
    given = TRACEPARENT.match(request.META.get("HTTP_TRACEPARENT", ""))
    return given[1] if given and not _is_too_long(given[0]) else None


def _is_too_long(header: str) -> bool:
    """Version 00 has these four parts and no more."""
    return header.startswith("00") and len(header) > 55
