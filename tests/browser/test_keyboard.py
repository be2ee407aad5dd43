"""The keys for those who go through many rows, and lists that renew themselves and get in nobody's way."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from queues.models import Queue
from tests.browser.letters import at, bodies_in, died


@pytest.fixture
def letters(page: Page, orders: Queue) -> Page:
    dlq = died(orders, "one", "two", "three")
    page.goto(at("dead-letters", dlq.public_id))
    return page


def row(page: Page, number: int) -> Locator:
    return page.locator("tbody tr").nth(number)


class TestKeys:
    def test_j_and_k_go_through_the_rows_and_stop_at_the_ends(self, letters: Page) -> None:
        for key, number in [("j", 0), ("j", 1), ("k", 0), ("k", 0), ("j", 1), ("j", 2), ("j", 2)]:
            letters.keyboard.press(key)
            expect(row(letters, number)).to_be_focused()

    def test_x_ticks_the_row(self, letters: Page) -> None:
        letters.keyboard.type("jxjx")
        expect(letters.get_by_role("button", name="Requeue 2 ticked")).to_be_visible()
        letters.keyboard.press("x")
        expect(letters.get_by_role("button", name="Requeue 1 ticked")).to_be_visible()

    def test_r_requeues_and_the_next_row_has_the_focus(self, letters: Page, orders: Queue) -> None:
        letters.keyboard.type("jr")
        expect(letters.get_by_role("status")).to_contain_text("Requeued to orders")
        expect(letters.locator("tbody tr")).to_have_count(2)
        expect(row(letters, 0)).to_be_focused()
        expect(row(letters, 0)).to_contain_text("two")
        letters.keyboard.press("r")
        expect(letters.locator("tbody tr")).to_have_count(1)
        assert bodies_in(orders) == ["one", "two"]

    def test_e_opens_the_row_and_r_requeues_there_too(self, letters: Page, orders: Queue) -> None:
        letters.keyboard.type("jje")
        letters.wait_for_url(re.compile("/messages/msg_"))
        letters.keyboard.press("r")
        expect(letters.get_by_role("status")).to_contain_text("Requeued to orders")
        assert bodies_in(orders) == ["two"]

    def test_the_slash_leads_to_the_search_of_the_page_or_of_everything(self, letters: Page) -> None:
        letters.keyboard.press("/")
        expect(letters.get_by_label("Search this queue")).to_be_focused()
        letters.keyboard.type("jxr/?")  # typed, not obeyed
        expect(letters.get_by_label("Search this queue")).to_have_value("jxr/?")
        letters.goto(at("overview"))
        letters.keyboard.press("/")
        expect(letters.get_by_label("Search queues and messages")).to_be_focused()

    def test_the_question_mark_shows_the_help_and_escape_gives_the_focus_back(self, letters: Page) -> None:
        letters.keyboard.press("j")
        letters.keyboard.press("?")
        help = letters.get_by_role("dialog", name="Keyboard shortcuts")
        expect(help).to_be_visible()
        letters.keyboard.press("j")  # nothing moves behind it
        letters.keyboard.press("Escape")
        expect(help).to_be_hidden()
        expect(row(letters, 0)).to_be_focused()

    def test_they_can_be_switched_off_and_stay_off(self, letters: Page) -> None:
        letters.keyboard.press("?")
        letters.get_by_label("Shortcuts are on in this browser").uncheck()
        letters.keyboard.press("Escape")
        letters.reload()
        letters.keyboard.type("jx?")
        expect(letters.locator("tbody tr:focus")).to_have_count(0)
        expect(letters.get_by_role("dialog")).to_be_hidden()

    def test_keys_of_the_browser_are_left_alone(self, letters: Page) -> None:
        letters.keyboard.press("Control+j")
        expect(letters.locator("tbody tr:focus")).to_have_count(0)

    def test_they_work_on_groups_trash_and_audit_as_well(self, letters: Page, orders: Queue) -> None:
        letters.keyboard.type("jx")
        letters.get_by_role("button", name="Discard 1 ticked").click()
        expect(letters.get_by_role("status")).to_contain_text("Discarded 1 message")
        for tab, shown, opened in (
            ("Dead letters", "dead-letters/$", "q=fingerprint"),
            ("Trash", "trash/$", "/trash/msg_"),
            ("Audit", "audit/", "/queues/q_"),
        ):
            letters.get_by_role("navigation", name="Queue").get_by_role("link", name=tab).click()
            letters.wait_for_url(re.compile(shown))
            letters.keyboard.type("je")
            expect(letters).to_have_url(re.compile(opened))


class TestRefresh:
    """Time is the browser's own clock here, moved by the test."""

    @pytest.fixture
    def renewing(self, page: Page, orders: Queue) -> Page:
        dlq = died(orders, "one")
        page.clock.install()
        page.goto(at("dead-letters", dlq.public_id))
        page.get_by_label("Refresh").select_option("5 s")
        page.get_by_role("heading", level=1).click()
        return page

    def test_new_letters_appear_by_themselves(self, renewing: Page, orders: Queue) -> None:
        died(orders, "two")
        renewing.clock.run_for(5_100)
        expect(renewing.locator("tbody tr")).to_have_count(2)

    def test_the_choice_is_remembered_on_every_list(self, renewing: Page) -> None:
        for tab in ("Messages", "Redrives", "Trash"):
            renewing.get_by_role("navigation", name="Queue").get_by_role("link", name=tab).click()
            expect(renewing.get_by_label("Refresh")).to_have_value("5")
        renewing.get_by_label("Refresh").select_option("off")
        renewing.reload()
        expect(renewing.get_by_label("Refresh")).to_have_value("0")

    def test_the_focus_stays_where_it_is(self, renewing: Page, orders: Queue) -> None:
        link = renewing.locator("tbody a").first
        link.focus()
        died(orders, "two")
        renewing.clock.run_for(5_100)
        expect(renewing.locator("tbody tr")).to_have_count(2)
        expect(link).to_be_focused()

    def test_it_waits_while_something_is_ticked(self, renewing: Page, orders: Queue) -> None:
        renewing.locator("[data-tick]").check()
        died(orders, "two")
        renewing.clock.run_for(11_000)
        expect(renewing.locator("tbody tr")).to_have_count(1)
        renewing.locator("[data-tick]").uncheck()
        renewing.clock.run_for(5_100)
        expect(renewing.locator("tbody tr")).to_have_count(2)

    def test_it_waits_while_nobody_looks_and_catches_up_afterwards(
        self, renewing: Page, orders: Queue
    ) -> None:
        renewing.evaluate("window.dispatchEvent(new Event('blur'))")
        died(orders, "two")
        renewing.clock.run_for(61_000)
        expect(renewing.locator("tbody tr")).to_have_count(1)
        renewing.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(renewing.locator("tbody tr")).to_have_count(2)

    def test_what_was_said_stays_to_be_read(self, renewing: Page, orders: Queue) -> None:
        died(orders, "two")
        renewing.get_by_role("button", name="Requeue msg_").first.click()
        expect(renewing.get_by_role("status")).to_contain_text("Requeued to orders")
        renewing.clock.run_for(11_000)
        expect(renewing.locator("tbody tr")).to_contain_text(["two"])
        expect(renewing.get_by_role("button", name="Undo")).to_be_visible()
