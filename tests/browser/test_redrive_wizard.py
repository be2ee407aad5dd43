"""A redrive from the filter to the history, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from queues import limits
from queues.models import AuditEntry, Queue, RedriveStatus, RedriveTask
from queues.operations import redrive, redrive_run
from tests.browser.letters import at, bodies_in, died, dies_again

MATCHING = limits.PAGE_SIZE + 5


@pytest.fixture
def dlq(orders: Queue) -> Queue:
    """Two pages of one error, and a few of another."""
    died(orders, "another", "and another", error="ValueError")
    return died(orders, *(f"order {number}" for number in range(MATCHING)))


def confirm(page: Page, button: str) -> None:
    page.get_by_label("Reason").fill("The gateway is back")
    page.get_by_role("button", name=button).click()


def test_all_that_match_on_two_pages_move_and_the_plan_says_how_many(
    page: Page, orders: Queue, dlq: Queue
) -> None:
    page.goto(at("dead-letters", dlq.public_id))
    page.get_by_label("Search this queue").fill("error:Gateway")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator("tbody tr")).to_have_count(limits.PAGE_SIZE)
    page.get_by_role("link", name="Next").click()
    expect(page.locator("tbody tr")).to_have_count(5)
    page.get_by_role("link", name=f"Select all {MATCHING} matching this filter").click()
    expect(page.get_by_label("Which dead letters")).to_have_value("error:Gateway")
    page.get_by_label("Carefully").uncheck()
    page.get_by_role("button", name="Make the plan").click()
    assert RedriveTask.objects.count() == 0  # a plan moves nothing
    died(orders, "order that died after the plan")
    confirm(page, f"Redrive {MATCHING} messages")
    expect(page.get_by_text("Completed")).to_be_visible()
    expect(page.get_by_text(f"{MATCHING} of {MATCHING} dealt with.")).to_be_visible()
    assert bodies_in(orders) == [f"order {number}" for number in range(MATCHING)]
    assert bodies_in(dlq) == ["another", "and another", "order that died after the plan"]
    entry = AuditEntry.objects.get()
    assert (entry.reason, entry.detail["planned"]) == ("The gateway is back", MATCHING)


def test_the_canary_stops_when_messages_come_back_dead(page: Page, orders: Queue, dlq: Queue) -> None:
    page.goto(at("redrive-new", dlq.public_id))
    page.get_by_role("button", name="Make the plan").click()
    confirm(page, f"Redrive {MATCHING + 2} messages")
    expect(page.get_by_text("Step 1 of 3: 1 moved, watching until")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
    dies_again(orders)
    redrive_run.advance(RedriveTask.objects.get().pk, 100)  # what maintenance does every second
    expect(page.get_by_text("Stopped by itself")).to_be_visible()  # the page asks by itself
    expect(page.get_by_text("1 of 1 redriven messages came back dead.")).to_be_visible()
    assert len(bodies_in(dlq)) == MATCHING + 2
    page.get_by_role("navigation", name="Queue").get_by_role("link", name="Redrives").click()
    row = page.locator("tbody tr")
    expect(row).to_contain_text("Stopped by itself")
    expect(row).to_contain_text("olivia")


def test_the_canary_goes_on_when_they_do_well(page: Page, orders: Queue, dlq: Queue) -> None:
    page.goto(at("redrive-new", dlq.public_id))
    page.get_by_label("Which dead letters").fill("error:ValueError")
    page.get_by_role("button", name="Make the plan").click()
    confirm(page, "Redrive 2 messages")
    expect(page.get_by_text("Step 1 of 3: 1 moved")).to_be_visible()
    task = RedriveTask.objects.get()
    RedriveTask.objects.update(watch_until=task.started_at)  # the watch is over
    redrive_run.advance(task.pk, 100)
    redrive_run.advance(task.pk, 100)
    expect(page.get_by_text("2 of 2 dealt with.")).to_be_visible()
    assert bodies_in(orders) == ["another", "and another"]


def test_one_that_runs_is_cancelled_and_what_nobody_received_is_pulled_back(
    page: Page, orders: Queue, dlq: Queue
) -> None:
    page.goto(at("redrive-new", dlq.public_id))
    page.get_by_role("button", name="Make the plan").click()
    confirm(page, f"Redrive {MATCHING + 2} messages")
    page.get_by_role("button", name="Cancel: what moved stays moved").click()
    expect(page.get_by_role("status")).to_contain_text("What moved stays: 1 message.")
    page.get_by_role("button", name="Undo: pull back what nobody received").click()
    expect(page.get_by_role("status")).to_contain_text("Pulled back 1 message.")
    assert RedriveTask.objects.get().status == RedriveStatus.CANCELLED
    assert bodies_in(orders) == []


def test_the_plan_is_asked_again_when_its_number_is_no_longer_true(
    page: Page, orders: Queue, dlq: Queue, complaints
) -> None:
    complaints.expect("409 (Conflict)")
    page.goto(at("redrive-new", dlq.public_id))
    page.get_by_label("Which dead letters").fill("error:ValueError")
    page.get_by_role("button", name="Make the plan").click()
    other = page.context.new_page()
    other.goto(at("dead-letters", dlq.public_id) + "?q=error:ValueError")
    other.get_by_role("button", name=re.compile("Requeue msg_")).first.click()
    expect(other.get_by_role("status")).to_contain_text("Requeued to orders")
    confirm(page, "Redrive 2 messages")
    expect(page.get_by_role("alert")).to_contain_text("it was to move 2 messages. Nothing has moved.")
    page.get_by_role("button", name="Redrive 1 message").click()
    expect(page.get_by_text("1 of 1 dealt with.")).to_be_visible()


def test_the_progress_is_not_asked_for_while_its_tab_is_hidden(page: Page, orders: Queue, dlq: Queue) -> None:
    page.clock.install()
    task = redrive.start(dlq, canary={"steps": [1]})
    page.goto(at("redrive", dlq.public_id, task.public_id))
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    redrive_run.advance(task.pk, 100)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(10_000)
    assert asked == []
    page.evaluate("delete document.hidden")
    page.clock.run_for(2_100)
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
