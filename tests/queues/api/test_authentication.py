from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from queues.models import ApiKey
from queues.operations.keys import revoke_api_key
from tests.queues.api.caller import Caller, assert_problem

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer \x00",
        "Bearer ü",
        "Basic dXNlcjpwYXNz",
        "smq_SMQAAAAAAAAAAAAAAAAA_" + "a" * 40,
        "Bearer smq_SMQAAAAAAAAAAAAAAAAA_" + "a" * 40,
        "Bearer " + "x" * 10_000,
    ],
)
def test_it_refuses_what_is_no_key(header: str) -> None:
    response = Client().get("/api/whoami", HTTP_AUTHORIZATION=header)
    assert_problem(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"] == "Bearer"


def test_it_refuses_a_call_without_a_key() -> None:
    assert_problem(Client().get("/api/queues"), 401, "not_authenticated")


def test_it_refuses_the_key_with_another_secret(owner: Caller) -> None:
    forged = owner.issued.bearer[:-1] + ("a" if owner.issued.bearer[-1] != "a" else "b")
    response = Client().get("/api/whoami", HTTP_AUTHORIZATION=f"Bearer {forged}")
    assert_problem(response, 401, "not_authenticated")


def test_it_takes_the_scheme_in_any_case(owner: Caller) -> None:
    for scheme in ("bearer", "BEARER"):
        response = Client().get("/api/whoami", HTTP_AUTHORIZATION=f"{scheme}  {owner.issued.bearer}")
        assert response.status_code == 200


def test_it_refuses_a_revoked_key_at_once(owner: Caller) -> None:
    revoke_api_key(owner.issued.key)
    assert_problem(owner.get("/api/whoami"), 401, "not_authenticated")


def test_it_refuses_an_expired_key(owner: Caller) -> None:
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert_problem(owner.get("/api/whoami"), 401, "not_authenticated")


def test_it_looks_at_the_key_before_anything_else() -> None:
    assert_problem(Client().post("/api/queues", b"{", "text/plain"), 401, "not_authenticated")
    assert_problem(Client().put("/api/queues"), 401, "not_authenticated")


def test_it_needs_no_csrf_token_and_sets_no_cookie(owner: Caller) -> None:
    strict = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {owner.issued.bearer}"})
    response = strict.post("/api/queues", {"queue_name": "orders"}, "application/json")
    assert response.status_code == 201
    assert not response.cookies
