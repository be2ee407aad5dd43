"""What every page of the console may use in its template."""

from functools import partial
from typing import Any

from django.http import HttpRequest

from dlq_console import access, notices, returning
from queues import limits
from queues.rights import Right


def console(request: HttpRequest) -> dict[str, Any]:
    """Where it is, for the navigation: the path without the query. What there is to say, and how long what
    people write may be."""
    return {
        "limits": limits,
        "here": request.path,
        "page_before": partial(returning.page_before, request),
        "notices": partial(notices.waiting, request),
        "may_create_queues": partial(access.may_somewhere, request, Right.MANAGE_QUEUES),
    }
