"""Everything can be done without JavaScript; it only takes more pages."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from queues.models import Message, Queue, RedriveTask
from tests.browser.conftest import Visit
from tests.browser.letters import at, bodies_in, died


@pytest.fixture
def page(visit_as: Visit, owner: User) -> Page:
    return visit_as(owner, java_script_enabled=False)


@pytest.fixture
def dlq(orders: Queue) -> Queue:
    return died(orders, "one", "two", "three")


def rows(page: Page):
    return page.locator("tbody tr")


def notice(page: Page):
    return page.get_by_role("status")


def test_a_letter_is_found_looked_at_requeued_and_taken_back(page: Page, orders: Queue, dlq: Queue) -> None:
    page.goto(at("dlq", dlq.public_id))
    page.get_by_role("link", name="Show all 3").click()
    page.get_by_label("Search this queue").fill("two")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(rows(page)).to_have_count(1)
    before = page.url
    rows(page).get_by_role("button", name="Requeue").click()
    expect(notice(page)).to_contain_text("Requeued to orders")
    expect(page).to_have_url(before)
    assert bodies_in(orders) == ["two"]
    notice(page).get_by_role("button", name="Undo").click()
    expect(rows(page)).to_have_count(1)
    assert bodies_in(orders) == []


def test_ticked_rows_are_discarded_and_restored(page: Page, dlq: Queue) -> None:
    page.goto(at("dead-letters", dlq.public_id))
    for number in range(2):
        rows(page).nth(number).get_by_role("checkbox").check()
    page.get_by_role("button", name="Discard ticked").click()
    expect(notice(page)).to_contain_text("Discarded 2 messages")
    page.get_by_role("link", name="Trash").click()
    for number in range(2):
        rows(page).nth(number).get_by_role("checkbox").check()
    page.get_by_role("button", name="Restore ticked").click()
    expect(notice(page)).to_contain_text("Restored 2 messages to orders-dlq")
    assert bodies_in(dlq) == ["one", "two", "three"]


def test_a_letter_is_edited(page: Page, orders: Queue, dlq: Queue) -> None:
    Queue.objects.filter(pk=orders.pk).update(allow_edit=True)
    letter = Message.objects.filter(queue_id=dlq.pk).order_by("id")[0]
    page.goto(at("message", dlq.public_id, letter.public_id))
    page.get_by_role("link", name="Edit and requeue").click()
    page.get_by_label("Body").fill("1")
    page.get_by_role("button", name="Send the edited message").click()
    expect(notice(page)).to_contain_text("Sent anew to orders")
    assert bodies_in(orders) == ["1"]


def test_a_redrive_is_planned_and_done(page: Page, orders: Queue, dlq: Queue) -> None:
    page.goto(at("dead-letters", dlq.public_id))
    page.get_by_role("link", name="Select all 3 matching this filter").click()
    page.get_by_label("Carefully").uncheck()
    page.get_by_role("button", name="Make the plan").click()
    page.get_by_label("Reason").fill("The gateway is back")
    page.get_by_role("button", name="Redrive 3 messages").click()
    expect(page.get_by_text("3 of 3 dealt with.")).to_be_visible()
    assert len(bodies_in(orders)) == RedriveTask.objects.get().moved == 3


def test_what_needs_javascript_is_not_offered(page: Page, dlq: Queue) -> None:
    page.goto(at("dead-letters", dlq.public_id))
    expect(page.get_by_label("Refresh")).to_be_hidden()
    expect(page.get_by_role("checkbox", name="Tick all on this page")).to_be_hidden()


def test_the_search_and_the_audit_are_forms(page: Page, dlq: Queue) -> None:
    page.goto(at("search"))
    page.locator("main").get_by_role("searchbox").fill("error:Gateway")
    page.locator("main").get_by_role("button", name="Search").click()
    expect(rows(page)).to_have_count(3)
    page.goto(at("audit"))
    page.get_by_label("Who").fill("nobody")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="Nothing was done yet")).to_have_count(0)
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
