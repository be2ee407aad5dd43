"""A team helps itself: a queue with its key, the settings, members and keys, with scripts and without."""

import re

import httpx
import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Error, Locator, Page, expect

from queues.models import ApiKey, AuditEntry, Membership, Message, Queue, Role, Team
from queues.operations import keys
from tests.browser.complaints import Complaints
from tests.browser.conftest import Visit, member
from tests.dlq_console.curl import curl_calls
from tests.factories import dead_letter, ready_messages, reloaded


def preview(page: Page) -> Locator:
    return page.locator("#preview")


class TestANewQueue:
    def test_from_signing_in_to_the_first_message(self, page: Page, team: Team) -> None:
        page.goto("/console/")
        page.get_by_role("link", name="Create a queue").click()
        page.get_by_label("Name", exact=True).fill("invoices")
        page.get_by_label("Make an API key for this queue").check()
        page.get_by_role("link", name="Webhook delivery").click()
        expect(preview(page)).to_contain_text("moved to the dead-letter queue invoices-dlq")
        page.get_by_role("button", name="Create the queue").click()
        expect(page.get_by_role("heading", name="Copy the key now")).to_be_visible()

        send, receive, ack = curl_calls(page.locator("#snippet-curl").inner_text())
        send.make()
        received = receive.make()
        ack._replace(body=ack.body.replace("…", received["receipt_handle"])).make()
        assert received["data"] == "hello"
        assert not Message.objects.exists()
        queue = Queue.objects.get(name="invoices")
        assert (queue.max_deliveries, queue.backoff["max_seconds"]) == (15, 3_600)
        assert [entry.action for entry in AuditEntry.objects.order_by("id")] == [
            "queue.created",
            "key.created",
        ]

    def test_the_preview_follows_what_is_typed(self, page: Page, team: Team) -> None:
        page.goto("/console/queues/new/")
        expect(preview(page)).to_contain_text("delivered 5 times at the most, 30 s apart")
        page.get_by_label("Deliveries before a message is dead").fill("9")
        expect(preview(page)).to_contain_text("delivered 9 times at the most, 30 s apart")
        page.get_by_label("Messages are kept for").fill("1 s")
        expect(preview(page)).to_contain_text("Messages are kept for: Must be between 60 and 31536000.")
        page.get_by_label("Messages are kept for").fill("2 days")
        expect(preview(page)).to_contain_text("removed after 2 d")
        expect(preview(page)).not_to_contain_text("Must be")

    def test_a_preset_keeps_the_name_and_the_focus(self, page: Page, team: Team) -> None:
        page.goto("/console/queues/new/")
        page.get_by_label("Name", exact=True).fill("imports")
        page.get_by_role("link", name="Bulk").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Largest message")).to_have_value("1 MiB")
        expect(page.get_by_role("link", name="Bulk")).to_be_focused()
        expect(page.get_by_role("link", name="Bulk")).to_have_attribute("aria-current", "true")
        expect(page.get_by_label("Name", exact=True)).to_have_value("imports")
        expect(preview(page)).to_contain_text("imports-dlq")

    def test_enter_creates_rather_than_previews(self, page: Page, team: Team) -> None:
        page.goto("/console/queues/new/")
        page.get_by_label("Name", exact=True).fill("invoices")
        expect(preview(page)).to_contain_text("invoices-dlq")
        page.get_by_label("Name", exact=True).press("Enter")
        page.wait_for_url("**/connect/")
        assert Queue.objects.filter(name="invoices").exists()

    def test_what_is_wrong_is_said_beside_the_field(
        self, page: Page, orders: Queue, complaints: Complaints
    ) -> None:
        complaints.expect("400 (Bad Request)")
        page.goto("/console/queues/new/")
        page.get_by_label("Name", exact=True).fill("orders")
        expect(preview(page)).to_contain_text("orders-dlq")
        page.get_by_role("button", name="Create the queue").click()
        expect(page.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_label("Name", exact=True)).to_have_accessible_description(
            re.compile("The team has a queue of this name.")
        )

    def test_loading_the_secret_again_shows_it_no_more(
        self, page: Page, team: Team, complaints: Complaints
    ) -> None:
        complaints.expect("400 (Bad Request)")
        page.goto("/console/queues/new/")
        page.get_by_label("Name", exact=True).fill("invoices")
        page.get_by_label("Make an API key for this queue").check()
        expect(preview(page)).to_contain_text("invoices-dlq")
        page.get_by_role("button", name="Create the queue").click()
        secret = page.locator("#secret").inner_text()
        page.reload()
        expect(page.locator("main")).to_contain_text("The team has a queue of this name.")
        assert secret not in page.content()
        assert ApiKey.objects.count() == 1

    def test_going_back_to_the_secret_finds_it_nowhere(self, page: Page, team: Team) -> None:
        page.goto("/console/teams/payments/keys/new/")
        page.get_by_label("Name of the key").fill("worker")
        page.get_by_role("button", name="Make the key").click()
        expect(page.locator("#secret")).to_be_visible()
        page.goto("/console/")
        with pytest.raises(Error, match="ERR_CACHE_MISS"):  # the browser has not kept it
            page.go_back()

    def test_the_key_is_copied_by_a_button(self, visit_as: Visit, owner: User, team: Team) -> None:
        page = visit_as(owner, permissions=["clipboard-read", "clipboard-write"])
        page.goto("/console/teams/payments/keys/new/")
        page.get_by_label("Name of the key").fill("worker")
        page.get_by_role("button", name="Make the key").click()
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert keys.authenticate(copied) == ApiKey.objects.get()


class TestWithoutScripts:
    @pytest.fixture
    def plain(self, visit_as: Visit, owner: User) -> Page:
        return visit_as(owner, java_script_enabled=False)

    def test_a_queue_is_made_with_a_preset_and_a_preview(self, plain: Page, team: Team, address: str) -> None:
        plain.goto("/console/queues/new/")
        plain.get_by_role("link", name="Webhook delivery").click()
        plain.get_by_label("Name", exact=True).fill("hooks")
        plain.get_by_label("Deliveries before a message is dead").fill("4")
        plain.get_by_role("button", name="Preview").click()
        expect(preview(plain)).to_contain_text("delivered 4 times at the most, 10 s apart, growing to 40 s")
        assert not Queue.objects.exists()
        expect(plain.get_by_label("Name", exact=True)).to_have_value("hooks")
        plain.get_by_label("Make an API key for this queue").check()
        plain.get_by_role("button", name="Create the queue").click()
        bearer = plain.locator("#secret").inner_text()
        who = httpx.get(f"{address}/api/whoami", headers={"Authorization": f"Bearer {bearer}"}).json()
        assert (who["team"], who["key_name"]) == ("payments", "hooks")
        assert Queue.objects.get(name="hooks").max_deliveries == 4

    def test_settings_are_changed_and_the_queue_paused(self, plain: Page, orders: Queue) -> None:
        plain.goto(f"/console/queues/{orders.public_id}/settings/")
        plain.get_by_label("Time to finish a message").fill("2 min")
        plain.get_by_role("button", name="Save the settings").click()
        expect(plain.get_by_role("status")).to_contain_text("Saved.")
        expect(plain.get_by_label("Time to finish a message")).to_have_value("120 s")
        plain.get_by_role("button", name="Pause delivery").click()
        expect(plain.get_by_role("button", name="Resume delivery")).to_be_visible()
        assert (reloaded(orders).visibility_timeout, reloaded(orders).paused) == (120, True)


class TestTheWholeQueue:
    def test_it_is_deleted_with_its_dead_letters(self, page: Page, orders: Queue) -> None:
        ready_messages(orders, "a", "b")
        dead_letter(orders)
        page.goto(f"/console/queues/{orders.public_id}/settings/")
        page.get_by_role("link", name="Delete…").click()
        page.get_by_label("Delete its dead-letter queue orders-dlq too").check()
        page.get_by_label("Type the name of the queue to confirm").fill("orders")
        page.get_by_label("Reason").fill("moved to another service")
        page.get_by_role("button", name="Delete the queue").click()
        expect(page.get_by_role("status")).to_contain_text("orders is deleted.")
        assert not Queue.objects.live().exists()
        assert AuditEntry.objects.get().reason == "moved to another service"


class TestTheTeam:
    def test_an_owner_manages_its_members(
        self, page: Page, team: Team, viewer: User, stranger: User, complaints: Complaints
    ) -> None:
        complaints.expect("400 (Bad Request)")
        page.goto("/console/")
        page.get_by_role("link", name="Teams").click()
        page.get_by_role("link", name="payments").click()
        page.get_by_label("Username").fill("nobody")
        page.get_by_role("button", name="Add to the team").click()
        expect(page.locator("main")).to_contain_text("There is no such user.")
        page.get_by_label("Username").fill("sam")
        page.get_by_label("Role", exact=True).select_option("operator")
        page.get_by_role("button", name="Add to the team").click()
        expect(page.get_by_role("status")).to_contain_text("sam is a member of payments now.")

        page.get_by_label("Role of victor", exact=True).select_option("owner")
        page.get_by_role("button", name="Save the role of victor").click()
        expect(page.get_by_role("status")).to_contain_text("victor is an owner of payments now.")
        page.get_by_role("link", name="Remove sam").click()
        page.get_by_role("button", name="Remove from the team").click()
        expect(page.get_by_role("status")).to_contain_text("sam is no longer a member of payments.")
        assert dict(team.memberships.values_list("user__username", "role")) == {
            "olivia": "owner",
            "victor": "owner",
        }

    def test_the_last_owner_stays(self, page: Page, team: Team) -> None:
        page.goto("/console/teams/payments/")
        page.get_by_label("Role of olivia", exact=True).select_option("viewer")
        page.get_by_role("button", name="Save the role of olivia").click()
        expect(page.get_by_role("status")).to_contain_text("A team needs an owner")
        assert Membership.objects.get(user__username="olivia").role == Role.OWNER

    def test_a_revoked_key_is_refused_at_once(self, page: Page, team: Team, address: str) -> None:
        issued = keys.create_api_key(team, "worker", ["send"])
        call = {"url": f"{address}/api/whoami", "headers": {"Authorization": f"Bearer {issued.bearer}"}}
        assert httpx.get(**call).status_code == 200
        page.goto("/console/teams/payments/keys/")
        page.get_by_role("link", name="Revoke worker").click()
        page.get_by_label("Reason").fill("it leaked")
        page.get_by_role("button", name="Revoke the key").click()
        expect(page.get_by_role("status")).to_contain_text("The key worker is revoked")
        assert httpx.get(**call).status_code == 401


def test_viewers_see_no_action(visit_as: Visit, viewer: User, orders: Queue) -> None:
    page = visit_as(viewer)
    for place in ("settings/", "connect/", ""):
        page.goto(f"/console/queues/{orders.public_id}/{place}")
        expect(page.get_by_role("link", name="New queue")).to_have_count(0)
        main = page.locator("main")
        expect(main.get_by_role("button", name=re.compile("Save|Pause|Create|Purge|Delete"))).to_have_count(0)
    page.goto("/console/teams/payments/")
    expect(page.get_by_role("link", name="API keys")).to_have_count(0)
    expect(page.locator("main").get_by_role("button")).to_have_count(0)


def test_an_operator_finds_no_way_to_members(visit_as: Visit, team: Team) -> None:
    page = visit_as(member(team, "oscar", Role.OPERATOR))
    page.goto("/console/teams/payments/")
    expect(page.get_by_text("Owners of the team manage its members.")).to_be_visible()
    expect(page.get_by_role("link", name="API keys")).to_be_visible()
