"""Filling in a form as a browser does: everything it shows comes back, with what is typed over it."""

from typing import Any

from django.forms import BaseForm, BooleanField
from django.http import HttpResponse
from django.test import Client


def filled(form: BaseForm, **typed: Any) -> dict[str, Any]:
    """What the browser would send. A box that is not ticked is not sent, nor is what is typed as None."""
    data: dict[str, Any] = {}
    for field in form:
        value = field.value()
        data[field.html_name] = "on" if isinstance(field.field, BooleanField) and value else value
        if field.field.show_hidden_initial:
            data[field.html_initial_name] = "" if value is None else str(value)
        if value is None and not isinstance(field.field, BooleanField):
            data[field.html_name] = ""
    data |= typed
    return {name: value for name, value in data.items() if value is not None and value is not False}


def submit(client: Client, address: str, to: str = "", **typed: Any) -> Any:
    """Open the page, type, and send the form, to another address if the button has one."""
    page = client.get(address)
    assert page.status_code == 200
    return client.post(to or address.partition("?")[0], filled(page.context["form"], **typed))


def errors(answer: HttpResponse) -> dict[str, list[str]]:
    assert answer.status_code == 400
    form = answer.context["form"]  # type: ignore[attr-defined]
    return {name: list(texts) for name, texts in form.errors.items()}
