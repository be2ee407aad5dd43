"""The OpenAPI document and the page that shows it."""

import json
from functools import lru_cache

from django.http import HttpRequest, HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.renderers import TemplateHTMLRenderer

MEDIA_TYPE = "application/vnd.oai.openapi+json"


def schema(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_document(), content_type=MEDIA_TYPE)


@lru_cache(maxsize=1)
def _document() -> bytes:
    """Written once per process: it takes a while, it never changes, and anybody may ask for it."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    return json.dumps(generator.get_schema(request=None, public=True), indent=1).encode()  # type: ignore[no-untyped-call]


class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI from our own static files, its script and style in files of their own."""

    renderer_classes = [TemplateHTMLRenderer]
    template_name = "queues/api_docs.html"
