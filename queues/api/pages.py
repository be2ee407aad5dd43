"""Cursor pages: rows after or before a key, by index. No offset, so page 1,000 costs what page 1 costs."""

import base64
import binascii
from collections.abc import Callable
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from rest_framework.request import Request

from queues import limits
from queues.api.fields import QueryText, QueryWhole
from queues.api.shapes import QueryShape
from queues.errors import Invalid

LONGEST_CURSOR = 200


class Cursor(NamedTuple):
    """Where a page begins: just after this id, or, read backwards, just before it."""

    key: str
    backwards: bool = False


class PageQuery(QueryShape):
    page_size = QueryWhole(
        (1, limits.MAX_PAGE_SIZE), required=False, help_text="How many results a page has."
    )
    cursor = QueryText(
        required=False, max_length=LONGEST_CURSOR, help_text="From `next` or `previous` of another page."
    )


def answer(
    request: Request,
    rows: QuerySet,
    query: dict[str, Any],
    show: Callable[[list[Any]], list[dict[str, Any]]],
    *,
    newest_first: bool = False,
) -> dict[str, Any]:
    """One page of the rows in the order of their ids, each as `show` shows it."""
    size = query.get("page_size", limits.PAGE_SIZE)
    cursor = read(query["cursor"], rows.model) if "cursor" in query else None
    backwards = cursor is not None and cursor.backwards
    found = _fetch(rows, cursor, size, descending=backwards != newest_first)
    more, page = len(found) > size, found[:size]
    if backwards:
        page.reverse()
    # Where we came from there are rows; where we go there are if one more was found.
    has_next, has_previous = (True, more) if backwards else (more, cursor is not None)
    return {
        "results": show(page),
        "next": _link(request, Cursor(str(page[-1].pk))) if page and has_next else None,
        "previous": _link(request, Cursor(str(page[0].pk), True)) if page and has_previous else None,
    }


def _fetch(rows: QuerySet, cursor: Cursor | None, size: int, *, descending: bool) -> list[Any]:
    """One row more than the page holds, which tells whether another page follows."""
    if cursor is not None:
        rows = rows.filter(pk__lt=cursor.key) if descending else rows.filter(pk__gt=cursor.key)
    return list(rows.order_by("-pk" if descending else "pk")[: size + 1])


def _link(request: Request, cursor: Cursor) -> str:
    query = request.query_params.copy()
    query["cursor"] = write(cursor)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def write(cursor: Cursor) -> str:
    text = ("<" if cursor.backwards else ">") + cursor.key
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def read(text: str, model: type[Model]) -> Cursor:
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"==").decode("ascii")
        key = str(model._meta.pk.to_python(raw[1:]))
    except (ValueError, binascii.Error, ValidationError):
        raise _garbage() from None
    cursor = Cursor(key, raw.startswith("<"))
    if write(cursor) != text:
        raise _garbage()
    return cursor


def _garbage() -> Invalid:
    return Invalid("This is not a cursor of this list.", field="cursor")
