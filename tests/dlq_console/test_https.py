"""SIMPLEMQ_HTTPS is one switch. The settings are read anew with it on and off, and then served from."""

import re
import runpy
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from tests.dlq_console.conftest import new_person
from tests.dlq_console.signing_in import LOGIN, password_of

SETTINGS = Path(__file__).resolve().parent.parent.parent / "simplemq" / "settings.py"
SWITCHED = ("SECURE_", "SESSION_COOKIE_", "CSRF_", "SIMPLEMQ_HTTPS", "ALLOWED_HOSTS")
HOST = "mq.example.com"
# What a proxy in front passes on and adds.
PROXY = {"HTTP_HOST": HOST, "HTTP_X_FORWARDED_PROTO": "https", "HTTP_X_FORWARDED_FOR": "203.0.113.9"}


def read_settings(settings: Settings, monkeypatch: pytest.MonkeyPatch, https: str) -> None:
    monkeypatch.setenv("SIMPLEMQ_HTTPS", https)
    monkeypatch.setenv("SIMPLEMQ_ALLOWED_HOSTS", HOST)
    for name, value in runpy.run_path(str(SETTINGS)).items():
        if name.startswith(SWITCHED):
            setattr(settings, name, value)


@pytest.fixture
def https(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    read_settings(settings, monkeypatch, "true")


@pytest.fixture
def plain(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    read_settings(settings, monkeypatch, "false")


def sign_in(client: Client, **how: str) -> HttpResponse:
    """Through the form, with the token it holds."""
    new_person("olga")
    page = client.get(LOGIN, **how).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    given = {"username": "olga", "password": password_of("olga"), "csrfmiddlewaretoken": token}
    return client.post(LOGIN, given, **how)


@pytest.fixture
def careful() -> Client:
    return Client(enforce_csrf_checks=True)


@pytest.mark.django_db
class TestOn:
    pytestmark = pytest.mark.usefixtures("https")

    def test_people_sign_in_behind_the_proxy(self, careful):
        response = sign_in(careful, **PROXY, HTTP_ORIGIN=f"https://{HOST}")
        assert (response.status_code, response["Location"]) == (302, "/console/")
        assert careful.get("/console/", **PROXY).status_code == 200

    def test_older_browsers_name_the_page_instead_of_the_origin(self, careful):
        assert sign_in(careful, **PROXY, HTTP_REFERER=f"https://{HOST}{LOGIN}").status_code == 302

    @pytest.mark.parametrize("origin", ["https://evil.example", f"http://{HOST}", "null"])
    def test_forms_of_other_sites_are_refused(self, careful, origin):
        assert sign_in(careful, **PROXY, HTTP_ORIGIN=origin).status_code == 403

    def test_every_cookie_is_for_tls_only(self, careful):
        sign_in(careful, **PROXY, HTTP_ORIGIN=f"https://{HOST}")
        assert set(careful.cookies) == {"sessionid", "csrftoken", "known_browser"}
        for cookie in careful.cookies.values():
            assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax")

    def test_browsers_are_told_to_stay(self, careful):
        told = careful.get(LOGIN, **PROXY)["Strict-Transport-Security"]
        assert told == "max-age=31536000; includeSubDomains; preload"

    @pytest.mark.parametrize("path", [LOGIN, "/console/", "/admin/", "/api/queues"])
    def test_whoever_comes_without_is_redirected(self, careful, path):
        response = careful.get(path, HTTP_HOST=HOST)
        assert (response.status_code, response["Location"]) == (301, f"https://{HOST}{path}")

    @pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
    def test_probes_are_not(self, careful, path):
        assert careful.get(path, HTTP_HOST="127.0.0.1:8000").status_code == 200


@pytest.mark.django_db
class TestOff:
    pytestmark = pytest.mark.usefixtures("plain")

    def test_people_sign_in(self, careful):
        assert sign_in(careful, HTTP_HOST=HOST, HTTP_ORIGIN=f"http://{HOST}").status_code == 302

    def test_cookies_work_without_tls_and_are_as_careful_otherwise(self, careful):
        sign_in(careful, HTTP_HOST=HOST)
        assert set(careful.cookies) == {"sessionid", "csrftoken", "known_browser"}
        for cookie in careful.cookies.values():
            assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == ("", True, "Lax")

    def test_nobody_is_redirected_or_told_to_stay(self, careful):
        response = careful.get(LOGIN, HTTP_HOST=HOST)
        assert response.status_code == 200
        assert "Strict-Transport-Security" not in response

    def test_a_header_makes_no_connection_secure(self, careful):
        assert not careful.get(LOGIN, **PROXY).wsgi_request.is_secure()
