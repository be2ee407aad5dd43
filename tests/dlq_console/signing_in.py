"""Signing in as the form in the browser does, and time that passes without waiting for it."""

from datetime import timedelta

from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db.models import F
from django.http import HttpResponse
from django.test import Client

LOGIN = "/accounts/login/"


def password_of(user: User | str) -> str:
    return f"the password of {user}"


def sign_in(client: Client, username: str, password: str | None = None, **how: str) -> HttpResponse:
    """With the right password unless another one is given, from the address the keywords say."""
    given = {"username": username, "password": password_of(username) if password is None else password}
    return client.post(LOGIN, given, **how)


def guess(times: int, username: str, **how: str) -> HttpResponse:
    """Wrong passwords, each from a browser nobody knows."""
    for _ in range(times):
        response = sign_in(Client(), username, "wrong", **how)
    return response


def let_pass(**time: float) -> None:
    """As if the failures so far had been that much earlier."""
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(**time))
