import logging
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from queues import errors
from queues.api.problems import kind_of
from queues.operations import queues
from tests.queues.api.caller import Caller, assert_problem

FIELDS = {"type", "title", "status", "code", "detail", "instance", "request_id", "errors"}


def all_errors(family: type[errors.QueueError] = errors.QueueError) -> Iterator[type[errors.QueueError]]:
    for child in family.__subclasses__():
        yield child
        yield from all_errors(child)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def tolerant(owner: Caller) -> Caller:
    """A caller who gets the answer of a crash, not the exception."""
    owner.http.raise_request_exception = False
    return owner


def crash(error: Exception) -> Any:
    return mock.patch.object(queues, "find", side_effect=error)


@pytest.mark.parametrize("error", list(all_errors()))
def test_it_has_a_status_for_every_error_of_the_domain(error: type[errors.QueueError]) -> None:
    assert 400 <= kind_of(error.__new__(error)).status < 500


def test_it_has_the_fields_of_the_contract(owner: Caller) -> None:
    problem = assert_problem(owner.get("/api/queues/q_x"), 404, "queue_not_found")
    assert set(problem) == FIELDS
    assert (problem["title"], problem["instance"]) == ("Not Found", "/api/queues/q_x")


@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/", "/api/nothing", "/api/queues/a/b/c/d/e"])
def test_it_is_a_problem_when_there_is_no_such_address(path: str) -> None:
    assert_problem(Client().get(path), 404, "not_found")


@pytest.mark.parametrize("path", ["/console/nothing", "/admin/nothing"])
@pytest.mark.django_db
def test_it_shows_people_a_page_instead(path: str) -> None:
    assert Client().get(path, follow=True)["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("method", ["put", "delete", "options", "trace"])
def test_it_says_which_methods_are_allowed(owner: Caller, method: str) -> None:
    response = getattr(owner.http, method)("/api/queues")
    assert_problem(response, 405, "method_not_allowed")
    assert response["Allow"] == "GET, POST, HEAD"


def test_it_survives_a_method_nobody_has_heard_of(owner: Caller) -> None:
    assert_problem(owner.http.generic("BREW", "/api/queues"), 405, "method_not_allowed")


def test_it_refuses_a_host_that_is_not_ours(owner: Caller) -> None:
    response = owner.http.get("/api/queues", headers={"Host": "evil.example"})
    assert_problem(response, 400, "invalid_request")


def test_it_refuses_more_query_parameters_than_anybody_needs(owner: Caller) -> None:
    response = owner.http.get("/api/queues?" + "&".join(f"a{n}=1" for n in range(2000)))
    assert_problem(response, 400, "invalid_request")


def test_it_tells_nothing_about_a_crash(tolerant: Caller) -> None:
    with crash(RuntimeError("the password is hunter2")):
        response = tolerant.get("/api/queues/q_x")
    assert_problem(response, 500, "internal_error")
    assert b"hunter2" not in response.content


@pytest.mark.parametrize("error", [OperationalError("connection refused"), InterfaceError("closed")])
def test_it_asks_to_come_back_when_the_database_is_away(owner: Caller, error: Exception) -> None:
    with crash(error):
        response = owner.get("/api/queues/q_x")
    problem = assert_problem(response, 503, "unavailable")
    assert int(response["Retry-After"]) >= 1
    assert str(error) not in problem["detail"]


def test_it_asks_to_come_back_even_when_the_key_cannot_be_looked_up(owner: Caller) -> None:
    with mock.patch("queues.operations.keys.authenticate", side_effect=OperationalError):
        assert_problem(owner.get("/api/whoami"), 503, "unavailable")


def test_it_carries_the_request_id_of_the_caller() -> None:
    response = Client().get("/api/nothing", headers={"X-Request-Id": "trace-1.2_3"})
    assert response["X-Request-Id"] == "trace-1.2_3"
    assert response.json()["request_id"] == "trace-1.2_3"


@pytest.mark.parametrize("given", ["", "a b", "ü", "x" * 129, "a\nb", "<script>"])
def test_it_makes_an_id_of_its_own_when_the_callers_is_not_sane(given: str) -> None:
    response = Client().get("/healthz", headers={"X-Request-Id": given})
    assert response["X-Request-Id"] not in ("", given)


def test_it_gives_every_request_another_id() -> None:
    assert Client().get("/healthz")["X-Request-Id"] != Client().get("/healthz")["X-Request-Id"]
