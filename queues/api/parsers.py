"""The request body: read once, up to its limit, as strict JSON."""

from io import BytesIO
from typing import Any

from django.http import HttpRequest
from rest_framework.parsers import BaseParser

from queues import limits
from queues.api import strict_json
from queues.errors import MessageTooLarge


class StrictJSONParser(BaseParser):
    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        return strict_json.read_object(_read(stream))


def admit_chunked(request: HttpRequest) -> None:
    """Give a chunked body a length: without one, Django takes it for empty."""
    if "HTTP_TRANSFER_ENCODING" not in request.META or not request.META.get("wsgi.input_terminated"):
        return
    raw = request.META["wsgi.input"].read(limits.REQUEST_BYTES + 1)
    request.META["CONTENT_LENGTH"] = str(len(raw))
    request._stream = BytesIO(raw)


def _read(request: HttpRequest) -> bytes:
    if int(request.META["CONTENT_LENGTH"]) > limits.REQUEST_BYTES:
        raise MessageTooLarge(f"A request body may have at most {limits.REQUEST_BYTES} bytes.", field="body")
    return request.read()
