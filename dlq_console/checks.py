"""Misconfiguration of the people's door, said at start."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

LEAST_IDLE_SECONDS = 300


@register(Tags.security)
def proxies_are_counted(**_: Any) -> list[CheckMessage]:
    """Behind a proxy everybody has its address, and one who guesses would lock out all."""
    if settings.SIMPLEMQ_TRUSTED_PROXIES > 0 or not settings.SIMPLEMQ_HTTPS:
        return []
    return [
        Warning(
            "SIMPLEMQ_HTTPS is on, so there is a proxy in front, but SIMPLEMQ_TRUSTED_PROXIES is 0: "
            "everybody seems to call from the proxy, and whoever guesses passwords locks out all the others.",
            hint="Set it to the number of proxies in front, each of which appends to X-Forwarded-For.",
            id="dlq_console.W001",
        )
    ]


@register(Tags.security)
def sessions_last(**_: Any) -> list[CheckMessage]:
    idle, whole = settings.SIMPLEMQ_SESSION_IDLE_SECONDS, settings.SIMPLEMQ_SESSION_ABSOLUTE_SECONDS
    if LEAST_IDLE_SECONDS <= idle <= whole:
        return []
    return [
        Error(
            f"Sessions would end after {idle} seconds without activity and {whole} seconds in all.",
            hint=f"SIMPLEMQ_SESSION_IDLE_SECONDS is at least {LEAST_IDLE_SECONDS}, "
            "SIMPLEMQ_SESSION_ABSOLUTE_SECONDS at least as long.",
            id="dlq_console.E001",
        )
    ]
