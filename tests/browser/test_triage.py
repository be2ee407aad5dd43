"""The life of a dead letter under an operator's hands, in a real browser."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from queues.models import AuditEntry, DiscardedMessage, Message, Queue
from queues.operations.receive import receive
from tests.browser.complaints import Complaints
from tests.browser.letters import at, bodies_in, died


@pytest.fixture
def dlq(orders: Queue) -> Queue:
    return died(orders, *(f'{{"order": {number}, "card_number": "4111"}}' for number in range(1, 6)))


@pytest.fixture
def letters(page: Page, dlq: Queue) -> Page:
    page.goto(at("dead-letters", dlq.public_id))
    return page


def rows(page: Page):
    return page.locator("tbody tr")


def notice(page: Page):
    return page.get_by_role("status")


def test_from_the_overview_to_the_letter_and_back_to_its_queue(page: Page, orders: Queue, dlq: Queue) -> None:
    page.goto(at("overview"))
    page.get_by_role("link", name="5 dead letters of orders").click()
    group = page.locator("section", has=page.get_by_role("heading", name="GatewayTimeout: no answer"))
    expect(group).to_contain_text("5 messages")
    expect(group.get_by_role("list", name="Samples").get_by_role("listitem")).to_have_count(3)
    group.get_by_role("link", name="Show all 5").click()
    expect(rows(page)).to_have_count(5)
    rows(page).first.get_by_role("link").click()
    expect(page.get_by_text("It is a dead letter: it waits here for you")).to_be_visible()
    letter = Message.objects.filter(queue_id=dlq.pk).order_by("id")[0]
    assert letter.delivery_count == 1  # as often as before somebody looked
    page.get_by_role("button", name="Requeue to orders").click()
    expect(notice(page)).to_contain_text("Requeued to orders")
    expect(page).to_have_url(re.compile("q=fingerprint"))  # the filter is still there
    expect(rows(page)).to_have_count(4)
    notice(page).get_by_role("button", name="Undo").click()
    expect(notice(page)).to_contain_text("The message is a dead letter of orders-dlq again.")
    expect(rows(page)).to_have_count(5)
    assert bodies_in(orders) == []


def test_one_click_requeues_and_only_the_row_goes(letters: Page, orders: Queue) -> None:
    letters.evaluate("window.samePage = true")
    rows(letters).nth(3).get_by_role("checkbox").check()
    rows(letters).nth(1).get_by_role("button", name="Requeue").click()
    expect(notice(letters)).to_contain_text("Requeued to orders")
    expect(rows(letters)).to_have_count(4)
    expect(rows(letters).nth(2).get_by_role("checkbox")).to_be_checked()
    assert letters.evaluate("window.samePage")
    assert json.loads(bodies_in(orders)[0])["order"] == 2
    notice(letters).get_by_role("button", name="Undo").click()
    expect(rows(letters)).to_have_count(5)


def test_when_the_last_row_goes_the_page_says_so_and_can_still_undo(page: Page, orders: Queue) -> None:
    dlq = died(orders, "the only one")
    page.goto(at("dead-letters", dlq.public_id))
    page.get_by_role("button", name="Requeue msg_").click()
    expect(page.get_by_role("heading", name="No dead letters")).to_be_visible()
    notice(page).get_by_role("button", name="Undo").click()
    expect(rows(page)).to_have_count(1)


def test_a_double_click_does_it_once(letters: Page, orders: Queue) -> None:
    rows(letters).first.get_by_role("link").click()
    posts: list[str] = []
    letters.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    button = letters.get_by_role("button", name="Requeue to orders")
    button.evaluate("button => { button.click(); setTimeout(() => button.click(), 20); }")
    expect(notice(letters)).to_contain_text("Requeued to orders")
    assert len(posts) == 1
    assert len(bodies_in(orders)) == 1


def test_a_file_can_be_asked_for_again(letters: Page) -> None:
    """Its page stays: a form that was sent is not spent for ever."""
    letters.clock.install()
    for _ in range(2):
        with letters.expect_download():
            letters.get_by_role("button", name="Export as CSV").click()
        letters.clock.run_for(3_000)


def test_one_that_somebody_received_meanwhile_is_said(letters: Page, dlq: Queue, orders: Queue) -> None:
    rows(letters).first.get_by_role("button", name="Requeue").click()
    expect(notice(letters)).to_contain_text("Requeued to orders")
    receive(orders)
    notice(letters).get_by_role("button", name="Undo").click()
    expect(notice(letters)).to_contain_text("Somebody has received it meanwhile")


def test_ticked_rows_go_together(letters: Page, orders: Queue, dlq: Queue) -> None:
    for number in range(3):
        rows(letters).nth(number).get_by_role("checkbox").check()
    letters.get_by_label("Reason").fill("The gateway is back")
    letters.get_by_role("button", name="Requeue 3 ticked").click()
    expect(notice(letters)).to_contain_text("Requeued 3 messages")
    expect(rows(letters)).to_have_count(2)
    assert len(bodies_in(orders)) == 3
    assert AuditEntry.objects.get().reason == "The gateway is back"
    notice(letters).get_by_role("button", name="Undo").click()
    expect(notice(letters)).to_contain_text("Pulled back 3 messages")
    expect(rows(letters)).to_have_count(5)


def test_all_of_a_page_are_ticked_at_once(letters: Page) -> None:
    everything = letters.get_by_role("checkbox", name="Tick all on this page")
    everything.check()
    expect(letters.get_by_role("button", name="Discard 5 ticked")).to_be_visible()
    rows(letters).first.get_by_role("checkbox").uncheck()
    expect(letters.get_by_role("button", name="Discard 4 ticked")).to_be_visible()
    expect(everything).not_to_be_checked()
    everything.check()
    everything.uncheck()
    expect(letters.get_by_role("button", name="Discard ticked")).to_be_visible()


def test_two_are_compared(letters: Page) -> None:
    for number in range(2):
        rows(letters).nth(number).get_by_role("checkbox").check()
    letters.get_by_role("button", name="Compare two").click()
    expect(letters.locator(".diff-add", has_text='"order": 2')).to_be_visible()
    expect(letters.locator(".diff-del", has_text='"order": 1')).to_be_visible()


def test_a_letter_is_edited_and_sent_anew(
    page: Page, orders: Queue, dlq: Queue, complaints: Complaints
) -> None:
    complaints.expect("400 (Bad Request)")
    Queue.objects.filter(pk=orders.pk).update(allow_edit=True)
    page.goto(at("dead-letters", dlq.public_id))
    rows(page).first.get_by_role("link").click()
    page.get_by_role("link", name="Edit and requeue").click()
    page.get_by_role("button", name="Reveal and edit").click()
    body = page.get_by_label("Body")
    expect(body).to_have_value('{"order": 1, "card_number": "4111"}')
    body.fill('{"order": 1, ')
    page.get_by_role("button", name="Send the edited message").click()
    expect(page.get_by_text("This is not valid JSON")).to_be_visible()
    expect(body).to_have_value('{"order": 1, ')
    body.fill('{"order": 100}')
    page.get_by_label("Reason").fill("A typo of the shop")
    page.get_by_role("button", name="Send the edited message").click()
    expect(notice(page)).to_contain_text("Sent anew to orders; the original is in the trash.")
    expect(page.locator("summary", has_text="Edited by olivia")).to_be_visible()
    assert bodies_in(orders) == ['{"order": 100}']
    assert DiscardedMessage.objects.get().reason == "A typo of the shop"


def test_a_letter_goes_to_the_trash_and_comes_back(page: Page, dlq: Queue) -> None:
    page.goto(at("dead-letters", dlq.public_id))
    rows(page).first.get_by_role("link").click()
    page.get_by_label("Reason").fill("A duplicate")
    page.get_by_role("button", name="Discard to the trash").click()
    expect(notice(page)).to_contain_text("Discarded: it is in the trash")
    expect(rows(page)).to_have_count(4)
    page.get_by_role("link", name="Trash").click()
    expect(rows(page)).to_contain_text(["A duplicate"])
    rows(page).get_by_role("link").click()
    expect(page.get_by_text("It was discarded: it lies in the trash of orders-dlq")).to_be_visible()
    expect(page.get_by_text("4111")).to_have_count(0)
    page.get_by_role("button", name="Restore to orders-dlq").click()
    expect(notice(page)).to_contain_text("Restored 1 message to orders-dlq")
    expect(page.get_by_role("heading", name="The trash is empty")).to_be_visible()
    assert len(bodies_in(dlq)) == 5


def test_what_matches_is_downloaded(letters: Page, tmp_path: Path) -> None:
    letters.get_by_label("Search this queue").fill("data.order:3")
    letters.get_by_role("button", name="Search", exact=True).click()
    expect(rows(letters)).to_have_count(1)
    with letters.expect_download() as download:
        letters.get_by_role("button", name="Export as JSONL").click()
    assert download.value.suggested_filename == "orders-dlq.jsonl"
    download.value.save_as(tmp_path / "letters")
    [record] = (tmp_path / "letters").read_text().splitlines()
    assert json.loads(json.loads(record)["data"])["order"] == 3
    assert "4111" not in record


def test_a_note_stays_with_its_group(page: Page, dlq: Queue) -> None:
    page.goto(at("dlq", dlq.public_id))
    page.get_by_text("Add a note").click()
    page.get_by_label("What people should know of this group").fill("Known: the gateway moves tonight")
    page.get_by_role("button", name="Save the note").click()
    expect(notice(page)).to_contain_text("The note is saved.")
    expect(page.locator("main")).to_contain_text("Known: the gateway moves tonight")


def test_an_id_pasted_into_the_header_leads_to_the_message(page: Page, dlq: Queue) -> None:
    letter = Message.objects.filter(queue_id=dlq.pk).latest("id")
    page.goto(at("overview"))
    page.get_by_label("Search queues and messages").fill(letter.public_id)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"{dlq.public_id}/messages/{letter.public_id}/"))


def test_the_audit_tells_what_was_done(letters: Page, orders: Queue, dlq: Queue) -> None:
    rows(letters).first.get_by_role("button", name="Requeue").click()
    expect(notice(letters)).to_contain_text("Requeued to orders")
    letters.get_by_role("navigation", name="Queue").get_by_role("link", name="Audit").click()
    expect(rows(letters)).to_have_count(1)
    expect(rows(letters)).to_contain_text("olivia")
    expect(rows(letters)).to_contain_text("Message requeued")
    letters.get_by_label("Action").select_option("Queue purged")
    letters.get_by_role("button", name="Show").click()
    expect(letters.get_by_role("heading", name="Nothing matches")).to_be_visible()
    expect(letters).to_have_url(re.compile("queue=orders-dlq"))
