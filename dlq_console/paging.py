"""Keyset pages: the rows after or before an id, by index. No offset and no count, so page 1,000 costs what
page 1 costs. The place is in the address, beside the filters, so a page can be reloaded and sent to others.
"""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from queues import limits

AFTER, BEFORE = "after", "before"


@dataclass(frozen=True, slots=True)
class Page:
    """The rows, and the addresses of the neighbouring pages where there are any."""

    rows: list[Any]
    next: str | None = None
    previous: str | None = None


def page_of(
    request: HttpRequest, queryset: QuerySet, *, size: int = limits.PAGE_SIZE, newest_first: bool = False
) -> Page:
    """The page the address asks for, in the order of the ids. What is no id means the first page."""
    after, before = (_key(request, name, queryset.model) for name in (AFTER, BEFORE))
    backwards = before is not None and after is None
    key = before if backwards else after
    found = _fetch(queryset, key, size, descending=newest_first != backwards)
    more, rows = len(found) > size, found[:size]
    if backwards:
        rows.reverse()
    # Where we came from there are rows; where we go there are if one more was found.
    has_next, has_previous = (True, more) if backwards else (more, key is not None)
    return Page(
        rows,
        next=link(request, **{AFTER: rows[-1].pk}) if rows and has_next else None,
        previous=link(request, **{BEFORE: rows[0].pk}) if rows and has_previous else None,
    )


def link(request: HttpRequest, **place: object) -> str:
    """This page at another place, with every other parameter as it is."""
    query = request.GET.copy()
    for name in (AFTER, BEFORE):
        query.pop(name, None)
    for name, value in place.items():
        query[name] = str(value)
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _fetch(rows: QuerySet, key: Any, size: int, *, descending: bool) -> list[Any]:
    """One row more than the page holds, which tells whether another page follows."""
    if key is not None:
        rows = rows.filter(pk__lt=key) if descending else rows.filter(pk__gt=key)
    return list(rows.order_by("-pk" if descending else "pk")[: size + 1])


def _key(request: HttpRequest, name: str, model: type[Model]) -> Any:
    """An id of this table, if the address gives one: a typo is no reason to show nothing."""
    field = model._meta.pk
    try:
        value = field.to_python(request.GET[name])
        field.run_validators(value)
    except (KeyError, ValueError, ValidationError):
        return None
    return value
