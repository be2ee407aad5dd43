"""Every error of this door as an RFC 9457 problem. One table says which error is which status and code."""

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.views import defaults
from rest_framework import exceptions
from rest_framework.settings import api_settings

from queues import errors
from queues.api.strict_json import BODY

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
PAGES = ("/accounts/", "/admin/", "/console/")
MOST_ERRORS = 20
LONGEST_FIELD = 100
RETRY_SECONDS = 1


class Kind(NamedTuple):
    status: int
    code: str


# The nearest class of an error's ancestry decides.
KINDS: dict[type[Exception], Kind] = {
    errors.Invalid: Kind(400, "invalid_request"),
    errors.SearchTooSlow: Kind(400, "invalid_request"),
    errors.NotAuthenticated: Kind(401, "not_authenticated"),
    errors.Forbidden: Kind(403, "forbidden"),
    errors.QuotaExceeded: Kind(403, "quota_exceeded"),
    errors.QueueNotFound: Kind(404, "queue_not_found"),
    errors.MessageNotFound: Kind(404, "message_not_found"),
    errors.ErrorGroupNotFound: Kind(404, "message_not_found"),
    errors.TopicNotFound: Kind(404, "topic_not_found"),
    errors.SubscriptionNotFound: Kind(404, "subscription_not_found"),
    errors.RedriveNotFound: Kind(404, "redrive_not_found"),
    errors.Conflict: Kind(409, "conflict"),
    errors.EarlierOneFailed: Kind(409, "conflict"),
    errors.ReceiptStale: Kind(409, "receipt_stale"),
    errors.NotADeadLetter: Kind(409, "not_a_dead_letter"),
    errors.SourceDeleted: Kind(409, "source_deleted"),
    errors.AlreadyReceived: Kind(409, "conflict"),
    errors.EditNotAllowed: Kind(409, "conflict"),
    errors.AdviceStale: Kind(409, "conflict"),
    errors.RedriveActive: Kind(409, "redrive_active"),
    errors.MessageTooLarge: Kind(413, "message_too_large"),
    errors.QueueFull: Kind(429, "queue_full"),
    errors.TooManyWaiting: Kind(429, "quota_exceeded"),
    exceptions.ValidationError: Kind(400, "invalid_request"),
    exceptions.NotAuthenticated: Kind(401, "not_authenticated"),
    exceptions.PermissionDenied: Kind(403, "forbidden"),
    exceptions.MethodNotAllowed: Kind(405, "method_not_allowed"),
    exceptions.UnsupportedMediaType: Kind(415, "unsupported_media_type"),
    UnreadablePostError: Kind(400, "invalid_request"),
    SuspiciousOperation: Kind(400, "invalid_request"),
    PermissionDenied: Kind(403, "forbidden"),
    Http404: Kind(404, "not_found"),
    # The database is down, restarting, or has no connection free; nothing was promised to the caller.
    OperationalError: Kind(503, "unavailable"),
    InterfaceError: Kind(503, "unavailable"),
}
INTERNAL = Kind(500, "internal_error")

# What these say themselves is for the log, or says too little.
DETAILS = {
    401: "A valid API key is needed: `Authorization: Bearer <api key>`.",
    403: str(errors.Forbidden.__doc__),
    404: "There is nothing at this address.",
    415: "Send JSON with `Content-Type: application/json`.",
    500: "Something went wrong on our side. The request id finds it in the log.",
    503: "The database does not answer just now. Try again in a moment.",
}


def kind_of(error: BaseException) -> Kind:
    return next((KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in KINDS), INTERNAL)


def problem_response(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """DRF's exception handler. None lets an unknown error reach Django, which logs it and asks below."""
    kind = kind_of(error)
    if kind is INTERNAL:
        return None
    request = context["request"]
    if kind.status == 503:
        logger.warning("Request %s: %s", request.request_id, error)
    response = problem(request, kind, _detail(error, kind), _errors(error))
    if kind.status == 405:
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    elif hasattr(error, "retry_after"):
        response["Retry-After"] = str(error.retry_after)
    return response


def problem(
    request: HttpRequest, kind: Kind, detail: str, fields: Sequence[tuple[str, str]] = ()
) -> HttpResponse:
    body = {
        "type": "about:blank",
        "title": HTTPStatus(kind.status).phrase,
        "status": kind.status,
        "code": kind.code,
        "detail": detail,
        "instance": request.path,
        "request_id": getattr(request, "request_id", None),
        "errors": [{"field": name[:LONGEST_FIELD], "message": text} for name, text in fields],
    }
    return HttpResponse(json.dumps(body), MEDIA_TYPE, kind.status, headers=_headers(kind.status))


def _headers(status: int) -> dict[str, str]:
    match status:
        case 401:
            return {"WWW-Authenticate": "Bearer"}
        case 429 | 503:
            return {"Retry-After": str(RETRY_SECONDS)}
    return {}


def _detail(error: Exception, kind: Kind) -> str:
    if isinstance(error, errors.QueueError):
        return error.message
    if isinstance(error, exceptions.ValidationError):
        return "The request is not valid; `errors` says which fields and why."
    if isinstance(error, exceptions.MethodNotAllowed):
        return str(error.detail)
    return DETAILS.get(kind.status, "The request is not valid.")


def _errors(error: Exception) -> list[tuple[str, str]]:
    if isinstance(error, errors.InvalidMany):
        return error.problems[:MOST_ERRORS]
    if isinstance(error, errors.QueueError):
        return [(error.field, error.message)] if error.field else []
    if isinstance(error, exceptions.ValidationError):
        return list(_flat("", error.detail))[:MOST_ERRORS]
    return []


def invalid_of(error: exceptions.ValidationError) -> errors.Invalid:
    """A refusal of DRF's as one of ours, for an entry of a batch."""
    return errors.InvalidMany(_errors(error))


def _flat(path: str, detail: Any) -> Iterator[tuple[str, str]]:
    """DRF nests its messages as the input was nested; we name the place: `tags.team`, `receipt_handles.3`."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            here = BODY if name == api_settings.NON_FIELD_ERRORS_KEY else str(name)
            yield from _flat(f"{path}.{here}" if path else here, inner)
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flat(path, inner)
    else:
        yield path or BODY, str(detail)


# What Django calls for errors outside the views: unknown addresses, refused hosts, bugs. People get pages.


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(PAGES):
        return defaults.page_not_found(request, exception)
    return problem(request, KINDS[Http404], DETAILS[404])


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(PAGES):
        return defaults.bad_request(request, exception)
    return problem(request, KINDS[SuspiciousOperation], "The request is not valid.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Django has logged the error already. Only its kind is told to the caller."""
    if request.path.startswith(PAGES):
        return defaults.server_error(request)
    error = sys.exception()
    kind = kind_of(error) if error else INTERNAL
    kind = kind if kind.status == 503 else INTERNAL
    return problem(request, kind, DETAILS[kind.status])
