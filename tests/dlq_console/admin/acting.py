"""Ticking rows of a list and choosing an action, as the form in the browser does."""

from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpResponse
from django.test import Client


def ask(client: Client, address: str, action: str, *rows: Any) -> HttpResponse:
    """The first POST, which is answered by a question."""
    ticked = {ACTION_CHECKBOX_NAME: [str(row.pk) for row in rows], "action": action, "index": "0"}
    return client.post(address, ticked)


def confirm(client: Client, address: str, action: str, *rows: Any, reason: str = "") -> HttpResponse:
    """The second one, which the question's form sends."""
    ticked = {ACTION_CHECKBOX_NAME: [str(row.pk) for row in rows], "action": action}
    return client.post(address, {**ticked, "confirmed": "yes", "reason": reason}, follow=True)
