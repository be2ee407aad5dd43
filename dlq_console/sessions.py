"""How long somebody stays signed in: so long without doing anything, and so long in all."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from queues.durations import in_words

BEGAN, SEEN = "began", "seen"
# Activity is noted once in a while only: looking at a page should not write to the database.
NOTED_EVERY = 60


@receiver(user_logged_in, dispatch_uid="dlq_console.sessions")
def _begin(request: HttpRequest, **_: Any) -> None:
    begin(request.session, timezone.now())


def begin(session: SessionBase, now: datetime) -> None:
    session[BEGAN] = session[SEEN] = now.timestamp()


def keep_limits(request: HttpRequest, now: datetime) -> None:
    """Sign out whoever is over a limit, and say why; note that the others are still there."""
    if not request.user.is_authenticated:
        return
    if why := why_over(request.session, now):
        logout(request)
        messages.info(request, why)
    elif not is_automatic(request):
        note_activity(request.session, now)


def why_over(session: SessionBase, now: datetime) -> str:
    """Nothing while it goes on. A session without its times is older than these rules."""
    idle, whole = settings.SIMPLEMQ_SESSION_IDLE_SECONDS, settings.SIMPLEMQ_SESSION_ABSOLUTE_SECONDS
    if now.timestamp() - session.get(BEGAN, 0) >= whole:
        return f"You were signed out: a session lasts no longer than {in_words(whole)}."
    if now.timestamp() - session.get(SEEN, 0) >= idle:
        return f"You were signed out after {in_words(idle)} in which nothing was done."
    return ""


def note_activity(session: SessionBase, now: datetime) -> None:
    if now.timestamp() - session[SEEN] >= NOTED_EVERY:
        session[SEEN] = now.timestamp()


def is_automatic(request: HttpRequest) -> bool:
    """The page asked by itself, to stay up to date: nobody need be there."""
    return "X-SimpleMQ-Refresh" in request.headers
