"""History and advice on the page of a queue, in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from queues.models import AuditEntry, Queue
from tests.browser.conftest import Visit
from tests.factories import reloaded
from tests.metrics_factories import advice_for, bucket, group_point, metrics_point, metrics_run


@pytest.fixture(autouse=True)
def a_day(orders: Queue) -> None:
    metrics_run(bucket(0))
    for back in range(1, 40):
        metrics_point(orders, bucket(back), depth_max=back, processing_p50=0.2, processing_p95=back / 10)
        group_point(orders, "acme", bucket(back), sent=back, noisy=back == 7)
    advice_for(orders)


def page_of(queue: Queue) -> str:
    return f"/console/queues/{queue.public_id}/"


def drawn_pixels(page: Page, code: str) -> int:
    """How much of a chart's canvas is not empty."""
    return page.evaluate(
        """(code) => {
             const canvas = document.querySelector(`#chart-${code} canvas`);
             const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
             return data.filter((value, place) => place % 4 === 3 && value > 0).length;
           }""",
        code,
    )


def test_the_charts_of_a_day_are_drawn(page: Page, orders: Queue) -> None:
    page.goto(page_of(orders))
    page.get_by_role("link", name="1 day").click()
    for code in ("depth", "age", "rates", "dead", "delay", "processing"):
        expect(page.locator(f"#chart-{code} canvas")).to_be_visible()
        assert drawn_pixels(page, code) > 500
    expect(page.get_by_text("a point is 5 min")).to_be_visible()
    expect(page.locator("#chart-processing .u-legend")).to_contain_text("95 %")
    expect(page.get_by_role("row", name="acme")).to_contain_text("noisy")


def test_the_figures_are_one_click_away(page: Page, orders: Queue) -> None:
    page.goto(f"{page_of(orders)}?history=1d")
    page.locator("#table-processing summary").click()
    expect(page.locator("#table-processing")).to_contain_text("200 ms")


def test_advice_is_taken_with_one_click_and_audited(page: Page, orders: Queue, owner: User) -> None:
    page.goto(f"{page_of(orders)}?history=7d")
    page.get_by_role("button", name="Apply this setting: 60 s").click()
    expect(page.get_by_role("status")).to_contain_text("visibility_timeout is 60 now")
    expect(page.locator("#advice-visibility_timeout")).to_contain_text("as advised")
    assert page.url.endswith("?history=7d")
    assert reloaded(orders).visibility_timeout == 60
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.user, entry.detail["after"]) == (
        "queue.changed", owner, {"visibility_timeout": 60},
    )  # fmt: skip


def test_advice_is_taken_without_a_script(visit_as: Visit, owner: User, orders: Queue) -> None:
    page = visit_as(owner, java_script_enabled=False)
    page.goto(page_of(orders))
    page.get_by_role("button", name="Apply this setting: 60 s").click()
    expect(page.get_by_role("status")).to_contain_text("visibility_timeout is 60 now")


def test_a_viewer_sees_the_advice_and_no_button(visit_as: Visit, viewer: User, orders: Queue) -> None:
    page = visit_as(viewer)
    page.goto(page_of(orders))
    expect(page.get_by_text("Give consumers 60 s to finish a message")).to_be_visible()
    expect(page.get_by_role("button", name="Apply this setting")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_use_it(visit_as: Visit, owner: User, orders: Queue, scheme: str, width: int) -> None:
    page = visit_as(owner, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto(f"{page_of(orders)}?history=1d")
    expect(page.locator("#chart-processing canvas")).to_be_visible()
    found = Axe().run(page)
    assert found.response["violations"] == [], found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
