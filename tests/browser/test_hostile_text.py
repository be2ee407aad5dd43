"""Payloads, attributes, names, errors and search terms are strangers' text: no page obeys them."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from queues.models import Team
from queues.operations import redrive
from tests.browser import hostile
from tests.browser.complaints import Complaints
from tests.browser.conftest import Visit
from tests.browser.places import places

# Lists of the admin that show nothing until a queue is chosen.
OF_A_QUEUE = ("message", "discardedmessage", "errorgroup")


@pytest.fixture
def world(team: Team, owner: User) -> hostile.HostileWorld:
    return hostile.world(team, owner)


@pytest.fixture
def addresses(team: Team, world: hostile.HostileWorld) -> dict[str, str]:
    task = redrive.start(world.dlq, filter={"error_type": hostile.ALL[:200]}, requested_by=hostile.SCRIPT)
    redrive.cancel(task)
    return places(team, world.queue, world.dlq, world.letters, task, world.search)


def test_every_page_shows_it_as_text(page: Page, addresses: dict[str, str]) -> None:
    """A script that runs opens a dialog, a refused one is a complaint: either fails the test."""
    for name, address in addresses.items():
        response = page.goto(address)
        assert response is not None
        assert response.status == 200, name
        assert list(hostile.inline_content(response.text())) == [], name
        assert page.locator("img[src=x]").count() == 0, name
        assert "14{" not in page.locator("main").inner_text(), name  # no template was evaluated


def test_what_hides_is_made_visible(page: Page, addresses: dict[str, str]) -> None:
    page.goto(addresses["dlq"])
    expect(page.locator("main")).to_contain_text("<script>alert('script ran')</script>")
    expect(page.locator("main")).to_contain_text("invoice⟦U+202E⟧gpj.exe")


def test_a_line_of_a_megabyte_does_not_widen_the_page(
    page: Page, world: hostile.HostileWorld, addresses: dict[str, str]
) -> None:
    longest = max(world.letters, key=lambda letter: letter.size_bytes)
    page.goto(addresses["message"].replace(world.letters[0].public_id, longest.public_id))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_half_a_character_is_shown_as_it_was_written(
    page: Page, world: hostile.HostileWorld, addresses: dict[str, str]
) -> None:
    broken = next(letter for letter in world.letters if letter.data == hostile.BROKEN)
    page.goto(addresses["message"].replace(world.letters[0].public_id, broken.public_id))
    expect(page.locator("main")).to_contain_text(r"\ud800")


def test_a_name_that_is_refused_is_shown_as_it_was_typed(
    page: Page, team: Team, complaints: Complaints
) -> None:
    complaints.expect("400")
    page.goto("/console/queues/new/")
    page.get_by_label("Name", exact=True).fill(hostile.IMAGE)
    page.get_by_role("button", name="Create the queue").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value(hostile.IMAGE)
    expect(page.locator("main")).to_contain_text("letters, digits, hyphens or underscores")
    assert page.locator("img[src=x]").count() == 0


def test_the_admin_shows_it_as_text_too(visit_as: Visit, owner: User, world: hostile.HostileWorld) -> None:
    owner.is_staff = owner.is_superuser = True
    owner.save()
    page = visit_as(owner)
    for model in ("queue", "message", "discardedmessage", "errorgroup", "auditentry", "team"):
        chosen = f"?queue={world.dlq.public_id}" if model in OF_A_QUEUE else ""
        response = page.goto(f"/admin/queues/{model}/{chosen}")
        assert response is not None
        assert response.status == 200, model
        assert list(hostile.inline_content(response.text())) == [], model
        assert page.locator("img[src=x]").count() == 0, model
