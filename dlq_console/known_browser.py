"""A browser in which somebody has signed in before: guesses of strangers elsewhere do not lock them out."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

COOKIE = "known_browser"
SALT = "dlq_console.known_browser"
PATH = "/accounts/"  # nobody else has to see it
MAX_AGE = 90 * 24 * 3600


def remember(response: HttpResponseBase, user: AbstractBaseUser) -> None:
    response.set_cookie(
        COOKIE,
        signing.dumps(user.get_username(), salt=SALT),
        max_age=MAX_AGE,
        path=PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_of(request: HttpRequest, username: str | None) -> bool:
    return username is not None and _remembered(request) == username


def _remembered(request: HttpRequest) -> Any:
    try:
        return signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=MAX_AGE)
    except signing.BadSignature:
        return None
