"""Signing in and out, and passwords, as people do it: with a form, a keyboard and a menu."""

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django import Settings

from dlq_console.sessions import SEEN
from queues.models import Queue
from tests.browser.complaints import Complaints
from tests.browser.conftest import Visit
from tests.browser.test_accessibility import NARROW, WIDE, serious
from tests.factories import dead_letter

SECRET = "the-secret-of-olivia"
NEW = "a-much-better-one-7"
LOGIN, CHANGE = "/accounts/login/", "/accounts/password_change/"


@pytest.fixture(autouse=True)
def cheap_passwords(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def nobody(visit_as: Visit, owner: User) -> Page:
    """A page of somebody who has not signed in; there is an owner to sign in as."""
    return visit_as(None)


def sign_in(page: Page, password: str = SECRET) -> None:
    """The username has the focus, so there is nothing to click."""
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type("olivia")
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    page.keyboard.press("Enter")


def sign_out(page: Page) -> None:
    page.locator("summary", has_text="olivia").click()
    page.get_by_role("button", name="Sign out").click()


def end_all_sessions() -> None:
    """As if everybody had been away for a day."""
    for row in Session.objects.all():
        session = row.get_session_store_class()(row.session_key)
        session[SEEN] -= 86_400
        session.save()


def guess_until_locked() -> None:
    for _ in range(5):
        Client().post(LOGIN, {"username": "olivia", "password": "wrong"})


class TestSigningIn:
    def test_it_leads_to_the_queues(self, nobody: Page, orders: Queue) -> None:
        nobody.goto("/console/")
        sign_in(nobody)
        nobody.wait_for_url(re.compile(r"/console/$"))
        expect(nobody.get_by_role("link", name="orders", exact=True)).to_be_visible()

    def test_it_leads_to_where_one_wanted_to_go(self, nobody: Page, orders: Queue) -> None:
        wanted = f"/console/queues/{orders.public_id}/messages/?q=data.order:1"
        nobody.goto(wanted)
        sign_in(nobody)
        nobody.wait_for_url(f"**{wanted}")

    def test_a_link_with_somebody_elses_address_leads_to_ours(self, nobody: Page) -> None:
        nobody.goto(f"{LOGIN}?next=https://evil.example/")
        sign_in(nobody)
        nobody.wait_for_url(re.compile(r"127\.0\.0\.1:\d+/console/$"))

    def test_a_wrong_password_is_said_and_typed_again(self, nobody: Page) -> None:
        nobody.goto(LOGIN)
        sign_in(nobody, "wrong")
        expect(nobody.get_by_role("alert")).to_contain_text("do not belong together")
        expect(nobody.get_by_label("Username")).to_have_value("olivia")
        expect(nobody.get_by_label("Password")).to_be_focused()
        nobody.keyboard.type(SECRET)
        nobody.keyboard.press("Enter")
        nobody.wait_for_url(re.compile(r"/console/$"))

    def test_whoever_guesses_is_told_how_long_to_wait(self, nobody: Page, complaints: Complaints) -> None:
        complaints.expect("429")
        nobody.goto(LOGIN)
        sign_in(nobody, "wrong")
        for _ in range(4):
            nobody.get_by_label("Password").fill("wrong")
            with nobody.expect_navigation():
                nobody.keyboard.press("Enter")
        expect(nobody.get_by_role("heading", name="Too many attempts")).to_be_visible()
        expect(nobody.locator("main")).to_contain_text("in 15 min")

    def test_it_works_without_scripts(self, visit_as: Visit, owner: User) -> None:
        page = visit_as(None, java_script_enabled=False)
        page.goto("/console/")
        page.get_by_label("Username").fill("olivia")
        page.get_by_label("Password").fill(SECRET)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(re.compile(r"/console/$"))


class TestSigningOut:
    def test_it_leads_to_the_sign_in_and_says_so(self, page: Page) -> None:
        page.goto("/console/")
        sign_out(page)
        page.wait_for_url(f"**{LOGIN}")
        expect(page.get_by_role("status")).to_contain_text("You are signed out.")

    def test_going_back_shows_nothing_of_what_was_there(self, page: Page, orders: Queue) -> None:
        page.goto("/console/")
        expect(page.get_by_role("link", name="orders", exact=True)).to_be_visible()
        sign_out(page)
        page.wait_for_url(f"**{LOGIN}")
        page.go_back()
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        expect(page.get_by_role("link", name="orders", exact=True)).to_have_count(0)


class TestASessionThatEnded:
    def test_a_part_of_a_page_leads_the_whole_page_to_the_sign_in_and_back(
        self, page: Page, orders: Queue
    ) -> None:
        """The button is htmx's: it must not put a sign-in form where the row was."""
        dlq = dead_letter(orders, '{"order": 1}')
        letters = f"/console/queues/{dlq.public_id}/dead-letters/messages/"
        page.goto(letters)
        end_all_sessions()
        page.get_by_role("button", name="Requeue").first.click()
        page.wait_for_url(f"**{LOGIN}?next={letters}")
        expect(page.get_by_role("status")).to_contain_text("in which nothing was done")
        sign_in(page)
        page.wait_for_url(f"**{letters}")
        expect(page.locator("tbody tr")).to_have_count(1)

    def test_a_page_that_refreshes_itself_ends_up_there_too(self, page: Page, orders: Queue) -> None:
        page.add_init_script("localStorage.setItem('simplemq.refresh', '5')")
        page.goto("/console/")
        end_all_sessions()
        page.evaluate("window.dispatchEvent(new Event('focus'))")  # it refreshes when looked at again
        page.wait_for_url(f"**{LOGIN}?next=/console/")


class TestChangingThePassword:
    def test_it_is_reached_by_the_menu_and_ends_other_sessions(self, visit_as: Visit, owner: User) -> None:
        here, elsewhere = visit_as(owner), visit_as(owner)
        elsewhere.goto("/console/")
        here.goto("/console/")
        here.locator("summary", has_text="olivia").click()
        here.get_by_role("link", name="Change password").click()
        here.get_by_label("Current password").fill(SECRET)
        here.get_by_label("New password", exact=True).fill(NEW)
        here.get_by_label("The new password again").fill(NEW)
        here.get_by_role("button", name="Change password").click()
        expect(here.get_by_role("heading", name="Your password is changed")).to_be_visible()
        here.get_by_role("link", name="Go to your queues").click()
        here.wait_for_url(re.compile(r"/console/$"))
        elsewhere.reload()
        elsewhere.wait_for_url(f"**{LOGIN}?next=/console/")

    def test_what_is_wrong_is_said_beside_the_field(self, page: Page) -> None:
        page.goto(CHANGE)
        page.get_by_label("Current password").fill("wrong")
        page.get_by_label("New password", exact=True).fill(NEW)
        page.get_by_label("The new password again").fill("another")
        page.keyboard.press("Enter")
        current = page.get_by_label("Current password")
        expect(current).to_have_accessible_description("That is not your current password.")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_no_serious_violation(
    theme: str, viewport: dict[str, int], visit_as: Visit, owner: User, complaints: Complaints
) -> None:
    complaints.expect("429")
    how = {"color_scheme": theme, "viewport": viewport, "reduced_motion": "reduce"}
    stranger, person = visit_as(None, **how), visit_as(owner, **how)
    stranger.goto(LOGIN)
    found = {"login": list(serious(stranger))}
    sign_in(stranger, "wrong")
    expect(stranger.get_by_role("alert")).to_be_visible()
    found["wrong"] = list(serious(stranger))
    for address in (CHANGE, f"{CHANGE}done/"):
        person.goto(address)
        found[address] = list(serious(person))
    guess_until_locked()
    stranger.get_by_label("Password").fill("wrong")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("heading", name="Too many attempts")).to_be_visible()
    found["locked"] = list(serious(stranger))
    for page in (stranger, person):
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert {name: violations for name, violations in found.items() if violations} == {}
