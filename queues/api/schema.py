"""The OpenAPI document: each operation is described from its entry in `calls` and its docstring."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from django.db import OperationalError
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import UnsupportedMediaType

from queues.api.calls import Call
from queues.api.problems import KINDS, MEDIA_TYPE
from queues.api.serializers.problem import Problem
from queues.errors import Forbidden, Invalid, MessageTooLarge, NotAuthenticated

if TYPE_CHECKING:
    from queues.api.views.door import Door

EVERY_CALL = (Invalid, NotAuthenticated, Forbidden, OperationalError)
WITH_A_BODY = (MessageTooLarge, UnsupportedMediaType)
METHODS = ("POST", "GET", "PATCH", "DELETE")
Endpoint = tuple[str, str, str, Any]


class CallSchema(AutoSchema):
    view: Door  # type: ignore[override]

    @property
    def call(self) -> Call:
        return self.view.calls[self.view.action]

    def get_operation_id(self) -> str:
        return self.view.action

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def get_summary(self) -> str:
        return self._docstring()[0]

    def get_description(self) -> str:  # type: ignore[override]
        scope = f"Needs a key with the scope `{self.call.scope}`." if self.call.scope else "Any key may."
        return "\n\n".join([*self._docstring()[1:], scope])

    def get_override_parameters(self) -> list[Any]:
        return [self.call.query] if self.call.query.fields else []

    def get_request_serializer(self) -> Any:
        return self.call.body if self.call.body.fields else None

    def get_response_serializers(self) -> Any:
        answers: dict[Any, Any] = dict(self.call.answers)
        for status, codes in self._problems().items():
            described = " or ".join(f"`{code}`" for code in codes)
            answers[status, MEDIA_TYPE] = OpenApiResponse(Problem, f"Problem: {described}")
        return answers

    def _problems(self) -> dict[int, list[str]]:
        body = WITH_A_BODY if self.method in ("POST", "PATCH") else ()
        found: dict[int, list[str]] = defaultdict(list)
        for kind in dict.fromkeys(KINDS[error] for error in (*EVERY_CALL, *body, *self.call.problems)):
            found[kind.status].append(kind.code)
        return dict(sorted(found.items()))

    def _docstring(self) -> list[str]:
        """Its paragraphs, unwrapped."""
        paragraphs = super().get_description().split("\n\n")
        return [" ".join(paragraph.split()) for paragraph in paragraphs]


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "queues.api.authentication.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API key of the team."}


def as_the_contract_writes_them(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Without the trailing slash, which the routes take too, and in an order that is always the same."""
    endpoints = [(path.rstrip("/"), regex, method, view) for path, regex, method, view in endpoints]
    places = {path: place for place, (path, *_) in reversed(list(enumerate(endpoints)))}
    return sorted(endpoints, key=lambda endpoint: (places[endpoint[0]], METHODS.index(endpoint[2])))


def with_closed_requests(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Say that unknown fields are refused."""
    schemas = result["components"]["schemas"]
    for operation in (operation for path in result["paths"].values() for operation in path.values()):
        content = operation.get("requestBody", {}).get("content", {})
        for body in content.values():
            name = body["schema"]["$ref"].rpartition("/")[2]
            schemas[name]["additionalProperties"] = False
    return result
