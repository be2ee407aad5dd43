from unittest import mock

import pytest
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.queues.api.caller import assert_problem


def test_it_lives_without_a_database() -> None:
    """This test may not use one: a statement would fail it."""
    response = Client().get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_it_is_ready_when_the_database_is() -> None:
    response = Client().get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ready"})


@pytest.mark.django_db
def test_it_is_cheap_to_ask(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    Client().get("/readyz")
    with django_assert_max_num_queries(2):
        Client().get("/readyz/")


def test_it_is_not_ready_when_the_database_is_away() -> None:
    with mock.patch.object(MigrationRecorder, "applied_migrations", side_effect=OperationalError("secret")):
        response = Client().get("/readyz")
    problem = assert_problem(response, 503, "unavailable")
    assert response["Retry-After"] == "1"
    assert "secret" not in str(problem)


@pytest.mark.django_db
def test_it_is_not_ready_before_the_last_migration() -> None:
    MigrationRecorder.Migration.objects.filter(app="queues").delete()
    problem = assert_problem(Client().get("/readyz"), 503, "unavailable")
    assert "queues." in problem["detail"]
