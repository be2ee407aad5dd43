"""Backoff: how long a message waits before it is tried again, longer each time.

The wait itself is reckoned in SQL (nack.sql, promote_with_backoff.sql), where the deliveries are known.
"""

from collections.abc import Mapping
from typing import Any

from queues import limits
from queues.errors import Invalid

BOUNDS: dict[str, tuple[float, float]] = {
    "base_seconds": limits.BACKOFF_BASE_SECONDS,
    "factor": limits.BACKOFF_FACTOR,
    "max_seconds": limits.BACKOFF_MAX_SECONDS,
    "jitter": limits.BACKOFF_JITTER,
}
DEFAULTS = {"factor": 2.0, "max_seconds": limits.BACKOFF_MAX_SECONDS[1], "jitter": 0.0}


def verified(given: Mapping[str, Any]) -> dict[str, float]:
    """The setting with all its parts; only `base_seconds` has no default."""
    unknown = sorted(set(given) - set(BOUNDS))
    if unknown:
        raise Invalid(f"Has an unknown part: {unknown[0][:40]!r}.", field="backoff")
    if "base_seconds" not in given:
        raise Invalid("Must have base_seconds.", field="backoff")
    backoff = {name: _verified_part(name, {**DEFAULTS, **given}[name]) for name in BOUNDS}
    if backoff["max_seconds"] < backoff["base_seconds"]:
        raise Invalid("max_seconds must not be less than base_seconds.", field="backoff.max_seconds")
    return backoff


def _verified_part(name: str, value: Any) -> float:
    low, high = BOUNDS[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise Invalid(f"{name} must be a number between {low} and {high}.", field=f"backoff.{name}")
    return value
