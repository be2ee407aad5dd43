"""Signing in and out, and changing the password."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.dlq_console.conftest import browser_of, new_person
from tests.dlq_console.signing_in import LOGIN, password_of, sign_in

pytestmark = pytest.mark.django_db

CHANGE = "/accounts/password_change/"
NEW = "a-much-better-one-7"


@pytest.fixture
def olga(team):
    return new_person("olga", team)


def is_signed_in(client) -> bool:
    return client.get("/console/").status_code == 200


class TestSigningIn:
    def test_it_lets_in_with_the_right_password(self, anybody, olga):
        response = sign_in(anybody, "olga")
        assert (response.status_code, response["Location"]) == (302, "/console/")
        assert is_signed_in(anybody)

    def test_it_leads_back_to_where_one_wanted_to_go(self, anybody, olga, queue):
        wanted = f"/console/queues/{queue.public_id}/?span=3600"
        asked = anybody.get(wanted)["Location"]
        response = anybody.post(asked, {"username": "olga", "password": password_of("olga")})
        assert response["Location"] == wanted

    @pytest.mark.parametrize(
        "elsewhere",
        [
            "https://evil.example/console/",
            "//evil.example/",
            "///evil.example",
            "/\\evil.example",
            "http:evil.example",
            "javascript:alert(1)",
            "\x00/console/",
        ],
    )
    def test_it_leads_nowhere_else(self, anybody, olga, elsewhere):
        given = {"username": "olga", "password": password_of("olga"), "next": elsewhere}
        assert anybody.post(LOGIN, given)["Location"] == "/console/"

    def test_it_does_not_lead_in_a_circle(self, anybody, olga):
        given = {"username": "olga", "password": password_of("olga")}
        assert anybody.post(f"{LOGIN}?next={LOGIN}", given)["Location"] == "/console/"
        assert anybody.get(f"{LOGIN}?next={LOGIN}")["Location"] == "/console/"

    def test_whoever_is_signed_in_already_goes_on(self, owner):
        assert owner.get(f"{LOGIN}?next=/console/x/")["Location"] == "/console/x/"

    def test_it_keeps_the_name_but_not_the_password(self, anybody, olga):
        page = sign_in(anybody, "olga", "hunter2-wrong").content.decode()
        assert 'value="olga"' in page
        assert "hunter2-wrong" not in page

    def test_wrong_names_wrong_passwords_and_closed_accounts_look_the_same(self, olga):
        closed = new_person("closed")
        closed.is_active = False
        closed.save()
        answers = [
            sign_in(Client(), name, password)
            for name, password in (("olga", "wrong"), ("nobody", "wrong"), ("closed", None))
        ]
        assert {answer.status_code for answer in answers} == {200}
        assert all("do not belong together" in answer.content.decode() for answer in answers)
        shapes = {
            len(answer.content.decode().replace(name, ""))
            for answer, name in zip(answers, ("olga", "nobody", "closed"), strict=True)
        }
        assert len(shapes) == 1

    def test_a_new_session_begins(self, anybody, olga):
        """A session somebody else planted in the browser is not the one that is signed in."""
        anybody.cookies["sessionid"] = "planted"
        sign_in(anybody, "olga")
        assert anybody.cookies["sessionid"].value != "planted"

    def test_the_form_needs_its_token(self, olga):
        assert sign_in(Client(enforce_csrf_checks=True), "olga").status_code == 403

    def test_the_page_is_never_kept(self, anybody):
        assert "no-store" in anybody.get(LOGIN)["Cache-Control"]

    def test_looking_at_it_begins_no_session(self, anybody):
        assert "sessionid" not in anybody.get(LOGIN).cookies

    def test_it_works_without_scripts(self, anybody):
        page = anybody.get(LOGIN).content.decode()
        assert '<form class="card stack" method="post">' in page
        assert " style=" not in page
        assert "<script>" not in page


class TestSigningOut:
    def test_it_ends_the_session_and_says_so(self, owner):
        response = owner.post("/accounts/logout/", follow=True)
        assert response.redirect_chain == [(LOGIN, 302)]
        assert "You are signed out." in response.content.decode()
        assert not is_signed_in(owner)

    def test_a_copy_of_the_cookie_is_worth_nothing_afterwards(self, owner):
        thief = Client()
        thief.cookies["sessionid"] = owner.cookies["sessionid"].value
        assert is_signed_in(thief)
        owner.post("/accounts/logout/")
        assert not is_signed_in(thief)

    def test_a_link_signs_nobody_out(self, owner):
        assert owner.get("/accounts/logout/").status_code == 405
        assert is_signed_in(owner)


class TestChangingThePassword:
    def change(self, client, old=None, new=NEW, again=None):
        given = {"old_password": old or password_of("olga"), "new_password1": new}
        return client.post(CHANGE, {**given, "new_password2": again or new}, follow=True)

    def test_the_new_one_counts(self, anybody, olga):
        assert "Your password is changed" in self.change(browser_of(olga)).content.decode()
        assert sign_in(anybody, "olga").status_code == 200
        assert sign_in(anybody, "olga", NEW).status_code == 302

    def test_it_keeps_this_session_and_ends_all_the_others(self, olga):
        here, elsewhere = browser_of(olga), browser_of(olga)
        before = here.cookies["sessionid"].value
        self.change(here)
        assert is_signed_in(here)
        assert here.cookies["sessionid"].value != before
        assert not is_signed_in(elsewhere)

    def test_it_ends_nobody_elses(self, olga, stranger):
        self.change(browser_of(olga))
        assert is_signed_in(stranger)

    def test_it_does_not_make_the_session_any_longer(self, olga):
        here = browser_of(olga)
        began = here.session["began"]
        self.change(here)
        assert here.session["began"] == began

    def test_it_asks_for_the_old_one(self, olga):
        page = self.change(browser_of(olga), old="wrong").content.decode()
        assert "That is not your current password." in page
        olga.refresh_from_db()
        assert olga.check_password(password_of("olga"))

    @pytest.mark.parametrize("weak", ["olga", "12345678901", "password1234"])
    def test_it_refuses_weak_ones(self, olga, weak):
        self.change(browser_of(olga), new=weak)
        olga.refresh_from_db()
        assert olga.check_password(password_of("olga"))

    def test_it_wants_it_twice(self, olga):
        self.change(browser_of(olga), again="another-good-one-8")
        olga.refresh_from_db()
        assert olga.check_password(password_of("olga"))

    def test_it_is_for_those_who_are_signed_in(self, anybody):
        assert anybody.get(CHANGE)["Location"] == f"{LOGIN}?next={CHANGE}"
        assert anybody.get(f"{CHANGE}done/")["Location"] == f"{LOGIN}?next={CHANGE}done/"


class TestTheAdmin:
    @pytest.fixture
    def root(self, db):
        user = new_person("root")
        user.is_staff = user.is_superuser = True
        user.save()
        return user

    def test_it_has_no_sign_in_of_its_own(self, anybody, root):
        response = anybody.get("/admin/queues/team/", follow=True)
        assert response.redirect_chain[-1][0] == f"{LOGIN}?next=/admin/queues/team/"
        given = {"username": "root", "password": password_of("root")}
        assert anybody.post(response.redirect_chain[-1][0], given)["Location"] == "/admin/queues/team/"

    def test_its_address_takes_no_password(self, anybody, root):
        given = {"username": "root", "password": password_of("root"), "next": "/admin/"}
        assert anybody.post("/admin/login/", given)["Location"].startswith(LOGIN)
        assert "_auth_user_id" not in anybody.session

    def test_operators_are_told_that_it_is_not_theirs(self, owner):
        response = owner.get("/admin/", follow=True)
        assert response.status_code == 403
        assert "for those who run this service" in response.content.decode()

    def test_whoever_may_enter_does_not_sign_in_twice(self, root):
        assert browser_of(root).get("/admin/login/")["Location"] == "/admin/"

    def test_its_links_lead_to_the_same_pages(self, root):
        client = browser_of(root)
        page = client.get("/admin/").content.decode()
        assert f'href="{CHANGE}"' in page
        assert 'action="/accounts/logout/"' in page
        assert client.get("/admin/password_change/")["Location"] == CHANGE
        assert client.post("/admin/logout/")["Location"] == LOGIN
        assert not is_signed_in(client)


@pytest.mark.parametrize("path", ["/api/queues", "/healthz", "/metrics", "/"])
def test_programs_and_probes_have_no_session(owner, path):
    """Whoever is signed in on pages is nobody there, and nothing is asked about them."""
    with CaptureQueriesContext(connection) as asked:
        response = owner.get(path)
    assert [query for query in asked if "django_session" in query["sql"]] == []
    assert not hasattr(response.wsgi_request, "session")
    assert not hasattr(response.wsgi_request, "axes_updated")
    assert "Cookie" not in response.get("Vary", "")
