"""JSON as the clients get it: UTF-8, compact, and never a NaN."""

import json
from typing import Any

from rest_framework.renderers import BaseRenderer

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class CompactJSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None  # JSON is UTF-8 and has no such parameter

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        return _ENCODER.encode(data).encode()
