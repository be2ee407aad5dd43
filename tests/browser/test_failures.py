"""A click that comes to nothing says so: the page stays, nothing typed or ticked on it is lost."""

import pytest
from playwright.sync_api import Page, expect

from queues.models import Membership, Queue, Role
from queues.operations import queues
from tests.browser.complaints import Complaints
from tests.browser.letters import at, died

REFUSED = ("(Forbidden)", "Error Code 403")
GONE = ("(Not Found)", "Error Code 404")
AWAY = ("htmx:", "ERR_INTERNET_DISCONNECTED")


@pytest.fixture
def dlq(orders: Queue) -> Queue:
    return died(orders, "one", "two")


@pytest.fixture
def letters(page: Page, dlq: Queue) -> Page:
    page.goto(at("dead-letters", dlq.public_id))
    return page


def requeue(page: Page) -> None:
    page.get_by_role("button", name="Requeue msg_").first.click()


def expect_said(page: Page, words: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(words)
    expect(page.locator("tbody tr")).to_have_count(2)


def expected(complaints: Complaints, *words: str) -> None:
    for each in words:
        complaints.expect(each)


def test_by_somebody_who_has_lost_the_right(letters: Page, complaints: Complaints) -> None:
    expected(complaints, *REFUSED)
    Membership.objects.update(role=Role.VIEWER)
    requeue(letters)
    expect_said(letters, "You may not do this. Your role in the team payments does not include: requeue.")


def test_on_a_queue_that_was_deleted(letters: Page, dlq: Queue, complaints: Complaints) -> None:
    expected(complaints, *GONE)
    queues.delete(dlq)
    requeue(letters)
    expect_said(letters, "There is nothing here.")


def test_with_a_form_that_is_too_old(letters: Page, complaints: Complaints) -> None:
    expected(complaints, *REFUSED)
    letters.context.clear_cookies(name="csrftoken")
    requeue(letters)
    expect_said(letters, "This form was too old. Nothing was changed")


def test_while_the_network_is_away(letters: Page, complaints: Complaints) -> None:
    expected(complaints, *AWAY)
    letters.context.set_offline(True)
    requeue(letters)
    expect_said(letters, "The server cannot be reached")
    letters.context.set_offline(False)
    requeue(letters)
    expect(letters.get_by_role("status")).to_contain_text("Requeued to orders")
    expect(letters.get_by_role("status")).not_to_contain_text("cannot be reached")
