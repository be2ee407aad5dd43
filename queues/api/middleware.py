"""What every response carries, and what API requests are spared."""

import re
import secrets
from collections.abc import Callable
from time import perf_counter
from typing import Any

from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from queues.api import request_metrics
from queues.api.problems import PAGES

GetResponse = Callable[[HttpRequest], HttpResponseBase]
SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")


class RequestIdMiddleware:
    """The caller's own id if it is sane, so that his log and ours can be laid side by side."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if SANE_REQUEST_ID.match(given) else secrets.token_hex(16)
        request.request_id = request_id  # type: ignore[attr-defined]
        response = self.get_response(request)
        response["X-Request-Id"] = request_id
        return response


class RequestMetricsMiddleware:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = perf_counter()
        response = self.get_response(request)
        request_metrics.observe(request, response, perf_counter() - began)
        return response


class PagesOnly(MiddlewareMixin):
    """Programs carry a key, not a cookie, and probes nothing: they pass by."""

    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(PAGES):
            return super().__call__(request)
        return self.get_response(request)


class PageSessionMiddleware(PagesOnly, SessionMiddleware):
    pass


class PageAuthenticationMiddleware(PagesOnly, AuthenticationMiddleware):
    pass


class PageMessageMiddleware(PagesOnly, MessageMiddleware):
    pass


class PageCSPMiddleware(CSPMiddleware):
    """The policy goes on pages only: a browser runs nothing from JSON, and building it is not free."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not response.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)
