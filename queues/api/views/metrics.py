"""Figures for Prometheus, for those who may see them."""

import hmac
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST

from queues.api.problems import KINDS, problem
from queues.api.request_metrics import exposition
from queues.errors import NotAuthenticated

# A proxy on this machine calls from loopback too, on behalf of anybody; it says so with one of these.
FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")


def metrics(request: HttpRequest) -> HttpResponse:
    if not (_has_token(request) or _is_local(request)):
        return problem(request, KINDS[NotAuthenticated], "Ask from this machine, or with the metrics token.")
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    token = settings.SIMPLEMQ_METRICS_TOKEN
    given = request.META.get("HTTP_AUTHORIZATION", "")
    return bool(token) and hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def _is_local(request: HttpRequest) -> bool:
    if any(header in request.META for header in FORWARDED):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a unix socket has no address
        return False
