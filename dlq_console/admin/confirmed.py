"""Actions on ticked rows: the first POST asks, the second does it, each row with its audit entry."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from dlq_console.access import person
from queues.errors import QueueError
from queues.limits import MAX_PAGE_SIZE

# Writes the audit entry itself, in the transaction of what it does.
Deed = Callable[[User, Any, str], None]
AdminAction = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


def confirmed(description: str, consequence: str) -> Callable[[Deed], AdminAction]:
    """Make an action of a deed on one row. A row that cannot be dealt with keeps no other from it."""

    def decorate(deed: Deed) -> AdminAction:
        @admin.action(description=description, permissions=["act"])
        @wraps(deed)
        def action(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
            rows = list(queryset[: MAX_PAGE_SIZE + 1])
            if len(rows) > MAX_PAGE_SIZE:
                text = f"At most {MAX_PAGE_SIZE} at once: tick fewer, or use the console."
                model_admin.message_user(request, text, messages.ERROR)
            elif "confirmed" not in request.POST:
                return _question(model_admin, request, rows, description, consequence)
            else:
                _do(model_admin, request, rows, description, deed)
            return None

        return action

    return decorate


def _question(
    model_admin: Any, request: HttpRequest, rows: list[Any], description: str, consequence: str
) -> HttpResponse:
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"{description}?",
        "opts": model_admin.opts,
        "media": model_admin.media,
        "rows": rows,
        "description": description,
        "consequence": consequence,
        "action": request.POST["action"],
        "checkbox": ACTION_CHECKBOX_NAME,
        "back": request.get_full_path(),
    }
    return TemplateResponse(request, "admin/queues/confirm.html", context)


def _do(model_admin: Any, request: HttpRequest, rows: list[Any], description: str, deed: Deed) -> None:
    done, reason = 0, request.POST.get("reason", "").strip()
    for row in rows:
        try:
            deed(person(request), row, reason)
            done += 1
        except QueueError as problem:
            model_admin.message_user(request, f"{row}: {problem.message}", messages.ERROR)
    if done:
        names = model_admin.opts.verbose_name if done == 1 else model_admin.opts.verbose_name_plural
        model_admin.message_user(request, f"{description}: done for {done} {names}.", messages.SUCCESS)
