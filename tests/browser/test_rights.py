"""Who may see what, over real HTTP: every address there is, as a viewer and as somebody of another team."""

import json
import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import APIResponse, Page, expect

from queues.models import AuditEntry, Message, Queue, RedriveTask, Role, Team
from queues.operations import keys, redrive, trash
from tests.browser.addresses import Address, addresses
from tests.browser.conftest import Visit, member
from tests.browser.letters import at, died
from tests.factories import new_queue

DEEDS = ({"do": "requeue"}, {"do": "discard"})
SECRET = "whispers"


@pytest.fixture
def dlq(team: Team) -> Queue:
    return died(new_queue(team, name=SECRET, max_deliveries=1), "one", "two", "three")


@pytest.fixture
def letter(dlq: Queue) -> Message:
    return Message.objects.filter(queue_id=dlq.pk).order_by("id")[0]


@pytest.fixture
def everything(team: Team, dlq: Queue, letter: Message, owner: User) -> list[Address]:
    last = Message.objects.filter(queue_id=dlq.pk).latest("id")
    trash.discard(dlq, [last.public_id], by="olivia")
    task = redrive.cancel(redrive.start(dlq))
    return addresses(
        {
            "queue_id": dlq.public_id,
            "message_id": letter.public_id,
            "redrive_id": task.public_id,
            "team_name": team.name,
            "member_id": team.memberships.get(user=owner).pk,
            "access_key_id": keys.create_api_key(team, "ci", ["send"]).access_key_id,
        }
    )


def token(page: Page) -> str:
    page.goto(at("overview"))
    return json.loads(page.locator("body").get_attribute("hx-headers") or "")["X-CSRFToken"]


def post(page: Page, address: str, csrf: str, **form: str) -> APIResponse:
    """As a forged form would: with everything a form of ours has."""
    return page.request.post(
        address, form={"csrfmiddlewaretoken": csrf, "reason": "because", **form}, max_redirects=0
    )


def state() -> list[object]:
    """Whatever a deed could change."""
    return [
        list(model.objects.order_by("pk").values())
        for model in (Queue, Message, trash.DiscardedMessage, RedriveTask, Team, AuditEntry)
    ]


def test_a_viewer_sees_everything_and_no_action(
    visit_as: Visit, viewer: User, dlq: Queue, letter: Message
) -> None:
    page = visit_as(viewer)
    for address in (
        at("dlq", dlq.public_id),
        at("dead-letters", dlq.public_id),
        at("message", dlq.public_id, letter.public_id),
        at("trash", dlq.public_id),
        at("redrives", dlq.public_id),
        at("browse", dlq.public_id),
        at("audit"),
    ):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        main = page.locator("main")
        for words in ("Requeue", "Discard", "Restore", "Redrive ", "Reveal", "Export", "Save", "New redrive"):
            expect(main.get_by_role("button", name=words)).to_have_count(0)
        expect(
            main.get_by_role("link", name=re.compile("^(Redrive |Select all|Edit|New|Plan)"))
        ).to_have_count(0)
        expect(main.get_by_role("checkbox")).to_have_count(0)


def test_a_forged_post_of_a_viewer_is_refused_everywhere(
    visit_as: Visit, viewer: User, everything: list[Address]
) -> None:
    page = visit_as(viewer)
    csrf, before = token(page), state()
    for address in everything:
        for form in DEEDS:
            answer = post(page, address.path, csrf, **form)
            assert answer.status in (403, 405), (address.name, answer.status)
    assert state() == before


def test_even_an_owner_needs_the_token(page: Page, everything: list[Address]) -> None:
    before = state()
    for address in everything:
        answer = page.request.post(address.path, form={"do": "requeue"}, max_redirects=0)
        assert answer.status in (403, 405), (address.name, answer.status)
    assert state() == before


def test_for_somebody_of_another_team_nothing_of_it_exists(
    visit_as: Visit, stranger: User, everything: list[Address]
) -> None:
    page = visit_as(stranger)
    csrf, before = token(page), state()
    for address in (each for each in everything if each.names):
        got, posted = page.request.get(address.path, max_redirects=0), post(page, address.path, csrf)
        assert {got.status, posted.status} <= {404, 405}, (address.name, got.status, posted.status)
        assert 404 in (got.status, posted.status), address.name
        for answer in (got, posted):
            assert SECRET not in answer.text(), address.name
    assert state() == before


def test_pages_about_nothing_in_particular_tell_them_nothing(
    visit_as: Visit, stranger: User, dlq: Queue, letter: Message, everything: list[Address]
) -> None:
    page = visit_as(stranger)
    for address in (each for each in everything if not each.names):
        text = page.request.get(f"{address.path}?q=one", max_redirects=0).text()
        for secret in (SECRET, dlq.public_id, letter.public_id, "olivia"):
            assert secret not in text, (address.name, secret)


def test_who_is_not_signed_in_is_asked_to_everywhere(visit_as: Visit, everything: list[Address]) -> None:
    page = visit_as(None)
    for address in everything:
        answer = page.request.get(address.path, max_redirects=0)
        if answer.status != 405:
            assert answer.headers["location"].startswith("/accounts/login/"), address.name


def test_a_right_that_is_lost_is_lost_at_once(visit_as: Visit, team: Team, dlq: Queue, complaints) -> None:
    complaints.expect("403 (Forbidden)")
    oscar = member(team, "oscar", Role.OPERATOR)
    page = visit_as(oscar, java_script_enabled=False)
    page.goto(at("dead-letters", dlq.public_id))
    oscar.memberships.update(role=Role.VIEWER)
    page.get_by_role("button", name="Requeue msg_").first.click()
    expect(page.locator("body")).to_contain_text("does not include: requeue")
    assert Message.objects.filter(queue_id=dlq.pk).count() == 3
