"""People get pages that say what to do next; programs get problems."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/console/nothing/", "/accounts/nothing/"])
def test_an_unknown_address_is_a_page(owner, path):
    response = owner.get(path)
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_it_is_a_page_for_those_who_are_not_signed_in_too(anybody):
    assert "There is nothing here" in anybody.get("/console/nothing/").content.decode()


def test_programs_still_get_problems(anybody):
    response = anybody.get("/api/nothing")
    assert response.headers["Content-Type"] == "application/problem+json"


def test_a_form_without_its_token_is_refused_with_advice(owner):
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = owner.cookies
    response = careful.post("/console/")
    assert response.status_code == 403
    assert "Load the page again" in response.content.decode()


@pytest.mark.parametrize(
    ("referer", "page"),
    [
        ("http://testserver/console/teams/?x=1", "/console/teams/?x=1"),
        ("https://evil.example/console/", "/console/"),
        ("", "/console/"),
    ],
)
def test_it_leads_back_to_the_page_of_the_form(owner, queue, referer, page):
    """The address of the form itself may take only a POST."""
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = owner.cookies
    response = careful.post(f"/console/queues/{queue.public_id}/pause/", headers={"Referer": referer})
    assert f'href="{page}">Load the page again' in response.text


def test_an_address_that_only_takes_forms_says_so(owner, queue):
    """Somebody reloads what a form has answered, by its address."""
    response = owner.get(f"/console/queues/{queue.public_id}/pause/")
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert "There is no page at this address" in response.text


def test_a_bug_is_a_page_without_its_cause(owner, monkeypatch):
    def break_down(*args):
        raise RuntimeError("the secret cause")

    monkeypatch.setattr("dlq_console.views.overview.health_of", break_down)
    owner.raise_request_exception = False
    response = owner.get("/console/")
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.content.decode()
    assert "secret cause" not in response.content.decode()


def test_pages_need_nothing_that_the_policy_forbids(owner, queue):
    """No inline script, style or handler: the browser would refuse them."""
    for path in ("/console/", f"/console/queues/{queue.public_id}/", "/console/nothing/"):
        text = owner.get(path).content.decode()
        assert " style=" not in text
        assert "<style" not in text
        assert " onclick=" not in text
        assert "<script>" not in text
