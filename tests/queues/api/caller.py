"""A client of the REST door, and what it expects of a refusal."""

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client

from queues.models import Team
from queues.operations.keys import create_api_key

ALL_SCOPES = ("send", "receive", "manage")


class Caller:
    """Calls with an API key. Bodies go as JSON, bytes as they are."""

    def __init__(self, team: Team, name: str, *scopes: str, pattern: str = "") -> None:
        self.team = team
        self.issued = create_api_key(team, name, list(scopes or ALL_SCOPES), pattern)
        self.http = Client(headers={"Authorization": f"Bearer {self.issued.bearer}"})

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self.http.get(path, query)

    def head(self, path: str) -> HttpResponse:
        return self.http.head(path)

    def delete(self, path: str, **query: Any) -> HttpResponse:
        return self.http.delete(path, query_params=query)

    def post(self, path: str, body: Any = b"", content_type: str = "application/json") -> HttpResponse:
        return self.http.post(path, _raw(body), content_type)

    def patch(self, path: str, body: Any = b"", content_type: str = "application/json") -> HttpResponse:
        return self.http.patch(path, _raw(body), content_type)


def _raw(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def assert_problem(
    response: HttpResponse, status: int, code: str, field: str | None = None
) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = json.loads(response.content)
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["request_id"] == response["X-Request-Id"]
    if field is not None:
        assert [error["field"] for error in problem["errors"]] == [field]
    return problem
