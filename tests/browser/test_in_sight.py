"""What one needs next is in sight, without scrolling for it: on a long page, and on a phone."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from queues.models import Queue, Team
from queues.operations import keys
from tests.browser.conftest import Visit
from tests.browser.letters import at, died

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def dlq(orders: Queue) -> Queue:
    return died(
        orders, *(f'{{"order": {number}, "customer": "somebody with a long name"}}' for number in range(30))
    )


@pytest.fixture
def phone(visit_as: Visit, owner: User) -> Page:
    return visit_as(owner, viewport=PHONE)


def test_the_result_of_a_click_far_down_a_list(page: Page, dlq: Queue) -> None:
    page.goto(at("dead-letters", dlq.public_id))
    page.get_by_role("button", name="Requeue msg_").last.click()
    undo = page.get_by_role("status").get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport(ratio=1)
    undo.click()
    expect(page.locator("tbody tr")).to_have_count(30)


def test_the_row_that_has_the_focus_is_not_under_the_result(page: Page, dlq: Queue) -> None:
    page.goto(at("dead-letters", dlq.public_id))
    page.get_by_role("button", name="Requeue msg_").last.click()
    expect(page.get_by_role("status")).to_contain_text("Requeued")
    for _ in range(20):
        page.keyboard.press("k")
    focused = page.locator("tr:focus").bounding_box()
    covered = page.get_by_role("status").bounding_box()
    assert focused
    assert covered
    assert focused["y"] >= covered["y"] + covered["height"]


@pytest.mark.parametrize("tab", ["trash", "queue-settings", "redrives"])
def test_the_tab_one_is_on(phone: Page, dlq: Queue, tab: str) -> None:
    phone.goto(at(tab, dlq.public_id))
    expect(phone.get_by_role("navigation", name="Queue").locator("[aria-current]")).to_be_in_viewport(ratio=1)


def test_the_deed_of_each_row(phone: Page, team: Team, dlq: Queue) -> None:
    keys.create_api_key(team, "a-key-with-a-rather-long-name", ["send"])
    for address, deed in (
        (at("dead-letters", dlq.public_id), "Requeue msg_"),
        (at("team", team.name), "Remove olivia"),
        (at("team-keys", team.name), "Revoke a-key"),
    ):
        phone.goto(address)
        button = phone.locator("tbody").get_by_label(deed).first
        button.scroll_into_view_if_needed()
        phone.locator(".table-wrap").evaluate("wrap => wrap.scrollLeft = 0")
        expect(button).to_be_in_viewport(ratio=1)
