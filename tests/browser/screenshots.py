"""`make screenshots`: pictures of a seeded demo, taken in a real browser.

Two of them are the README's. With --every, each page in both themes, wide and narrow.
"""

import argparse
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from queues.management import env_file
from simplemq import prerequisites
from tests.browser.chromium import QUIET
from tests.simplemq.serving import ROOT, Serving, clean_environment

PICTURES = ROOT / "docs" / "screenshots"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
OVERVIEW, ORDERS, LETTERS = "overview", "queue", "dead-letters"


@contextmanager
def demo(folder: Path) -> Iterator[Serving]:
    service = Serving(folder / "data").wait_until_ready()
    try:
        env = clean_environment() | env_file.read(service.data_dir / "service.env")
        seed = [sys.executable, "manage.py", "seed_demo", "--seed", "7"]
        subprocess.run(seed, cwd=ROOT, env=env, check=True)
        yield service
    finally:
        service.send(signal.SIGINT)
        service.ended()


def signed_in(browser: Browser, service: Serving, theme: str, viewport: dict[str, int]) -> Page:
    known = service.credentials
    context = browser.new_context(
        base_url=known["SIMPLEMQ_ENDPOINT"], color_scheme=theme, viewport=viewport, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto("/accounts/login/?next=/console/")
    page.get_by_label("Username").fill(known["SIMPLEMQ_ADMIN_USER"])
    page.get_by_label("Password").fill(known["SIMPLEMQ_ADMIN_PASSWORD"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/console/")
    return page


def addresses(page: Page) -> dict[str, str]:
    """Where each kind of page is, found as a person finds it: from the overview, by its links."""
    page.goto("/console/")
    queue = page.get_by_role("link", name="orders", exact=True).first.get_attribute("href") or ""
    page.goto(queue)
    letters = page.get_by_role("link", name="Dead letters").first.get_attribute("href") or ""
    page.goto(f"{letters}messages/")
    letter = page.locator("tbody tr").first.get_by_role("link").first.get_attribute("href") or ""
    dlq = letters.removesuffix("dead-letters/")
    return {
        "overview": "/console/",
        "queue": queue,
        "browse": f"{queue}messages/",
        "dead-letters": letters,
        "dead-letters-list": f"{letters}messages/",
        "dead-letter": letter,
        "redrive-new": f"{dlq}redrives/new/",
        "redrives": f"{dlq}redrives/",
        "trash": f"{dlq}trash/",
        "settings": f"{queue}settings/",
        "queue-new": "/console/queues/new/",
        "teams": "/console/teams/",
        "team": "/console/teams/demo/",
        "audit": "/console/audit/",
        "search": "/console/search/?q=error:Timeout",
        "password": "/accounts/password_change/",
        "nothing": "/console/queues/q_nothing/",
    }


def shoot(page: Page, address: str, path: Path, *, whole: bool) -> None:
    page.goto(address, wait_until="networkidle")
    page.screenshot(path=path, full_page=whole)
    print(path)


def for_the_readme(browser: Browser, service: Serving) -> None:
    PICTURES.mkdir(exist_ok=True)
    page = signed_in(browser, service, "light", WIDE)
    found = addresses(page)
    shoot(page, found[LETTERS], PICTURES / "dead-letters.png", whole=False)
    page = signed_in(browser, service, "dark", WIDE)
    shoot(page, found[ORDERS], PICTURES / "queue.png", whole=False)


def of_every_page(browser: Browser, service: Serving, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for width, viewport in (("wide", WIDE), ("narrow", NARROW)):
            page = signed_in(browser, service, theme, viewport)
            for name, address in addresses(page).items():
                shoot(page, address, folder / f"{name}.{theme}.{width}.png", whole=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--every", type=Path, metavar="FOLDER", help="put pictures of every page there instead"
    )
    folder = parser.parse_args().every
    with (
        tempfile.TemporaryDirectory() as place,
        demo(Path(place)) as service,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=prerequisites.find("chromium"), args=QUIET)
        if folder:
            of_every_page(browser, service, folder)
        else:
            for_the_readme(browser, service)
        browser.close()


if __name__ == "__main__":
    main()
