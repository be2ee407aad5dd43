"""What holds on every page, whoever wrote its view."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control

from dlq_console import sessions
from dlq_console.signing_in_first import led_there


class PageMiddleware:
    """Sessions end in time; what people see is stored nowhere; whoever has to sign in is led there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not hasattr(request, "session"):  # a program, or a probe
            return self.get_response(request)
        sessions.keep_limits(request, timezone.now())
        is_somebody = request.user.is_authenticated
        response = _as_page(request, self.get_response(request))
        if is_somebody:
            patch_cache_control(response, private=True, no_store=True)
        return led_there(request, response)


def _as_page(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Django answers a wrong method with nothing: a browser would say that the page does not work."""
    if not isinstance(response, HttpResponseNotAllowed):
        return response
    page = render(request, "405.html", status=405)
    page["Allow"] = response["Allow"]
    return page
