"""axe's rules of accessibility on every page, in both themes, wide and narrow."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page

from queues.models import Queue, Team
from queues.operations import look, redrive, trash
from tests.browser.conftest import Visit
from tests.browser.places import places
from tests.factories import dead_letter, in_flight_message, ready_message, reloaded

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture
def addresses(team: Team, orders: Queue, owner: User) -> dict[str, str]:
    for number in range(3):
        dlq = dead_letter(orders, f'{{"order": {number}, "lines": [1, 2]}}')
    dead_letter(orders, '{"order": "no order"}')
    trash.discard(dlq, [look.browse(dlq).last().public_id], by=owner.get_username(), reason="A test")
    in_flight_message(orders)
    ready_message(orders)
    task = redrive.start(dlq, limit=1, requested_by=owner.get_username())
    redrive.cancel(task)
    return places(team, reloaded(orders), dlq, list(look.browse(dlq)), task, "error:Timeout age:>1h")


def serious(page: Page) -> Iterator[str]:
    for violation in Axe().run(page).response["violations"]:
        if violation["impact"] in ("serious", "critical"):
            yield from (f"{violation['id']}: {node['html'][:200]}" for node in violation["nodes"])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_no_serious_violation(
    theme: str, viewport: dict[str, int], visit_as: Visit, owner: User, addresses: dict[str, str]
) -> None:
    page = visit_as(owner, color_scheme=theme, viewport=viewport, reduced_motion="reduce")
    found = {}
    for name, address in addresses.items():
        page.goto(address)
        if violations := list(serious(page)):
            found[name] = violations
    assert found == {}


def test_no_page_is_wider_than_a_phone(visit_as: Visit, owner: User, addresses: dict[str, str]) -> None:
    page = visit_as(owner, viewport=NARROW)
    too_wide = []
    for name, address in addresses.items():
        page.goto(address)
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            too_wide.append(name)
    assert too_wide == []
