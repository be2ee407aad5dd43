"""How often a password may be guessed. django-axes counts failures in the database; the limits are ours."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_username, get_cool_off, get_lockout_parameters
from axes.models import AccessAttempt
from django.db.models import QuerySet
from django.http import HttpRequest

from dlq_console import known_browser

PERSON = ("username", "ip_address")
# Failures within AXES_COOLOFF_TIME that were counted together, and how many of them are too many.
LIMITS: dict[tuple[str, ...], int] = {
    PERSON: 5,
    ("username",): 20,  # whoever guesses at one account from many addresses
    ("ip_address",): 50,  # whoever tries one password on many accounts
}

Credentials = dict[str, Any] | None


def counted_together(request: HttpRequest, credentials: Credentials = None) -> list[list[str]]:
    """AXES_LOCKOUT_PARAMETERS. In a browser of theirs, people answer for their own failures only."""
    is_known = known_browser.is_of(request, get_client_username(request, credentials))
    return [list(columns) for columns in LIMITS if columns == PERSON or not is_known]


def locked_until(request: HttpRequest) -> datetime | None:
    """When whoever was just refused may try again; None if it was not us who refused."""
    if not getattr(request, "axes_locked_out", False):
        return None
    credentials: Credentials = request.axes_credentials  # type: ignore[attr-defined]
    return max(AxesProxyHandler.get_implementation().reached(request, credentials), default=None)


class SignInHandler(AxesDatabaseHandler):
    def get_failures(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """How many limits are reached. Axes knows a single one, AXES_FAILURE_LIMIT: one of ours is enough."""
        return len(self.reached(request, credentials))

    def reached(self, request: HttpRequest, credentials: Credentials = None) -> list[datetime]:
        """When each limit that is reached lets go again."""
        groups = get_lockout_parameters(request, credentials)
        counted = zip(groups, self.get_user_attempts(request, credentials), strict=True)
        return [end for group, attempts in counted for end in _ends(attempts, LIMITS[tuple(group)])]

    def reset_user_attempts(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """Of this person from this address only: else an own account would wipe out guesses at others."""
        person, *_ = self.filter_user_attempts(request, credentials)
        return int(person.delete()[0])


def _ends(attempts: QuerySet[AccessAttempt], limit: int) -> Iterator[datetime]:
    """As soon as the failures that are younger are few enough."""
    total = 0
    for at, failures in attempts.order_by("-attempt_time").values_list(
        "attempt_time", "failures_since_start"
    ):
        total += failures
        if total >= limit:
            yield at + get_cool_off()
            return
