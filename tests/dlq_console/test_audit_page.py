"""The audit: what people did in one's teams, readable and bounded."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from dlq_console import audit_wording
from dlq_console.views import audit as views
from queues import limits
from queues.errors import SearchTooSlow
from queues.models import Action, AuditEntry, Membership, Queue, Role, Team
from queues.operations import queues
from tests.dlq_console.conftest import browser_of, new_person
from tests.dlq_console.letters import HOSTILE, assert_harmless
from tests.factories import new_queue, new_team

pytestmark = pytest.mark.django_db
PAGE = reverse("console:audit")


def noted(team: Team, action: str = Action.QUEUE_PAUSED, *, at: datetime | None = None, **fields: Any) -> int:
    """An entry of the audit; answers its id."""
    entry = AuditEntry.objects.create(team=team, action=action, actor=fields.pop("actor", "oscar"), **fields)
    if at is not None:
        AuditEntry.objects.filter(pk=entry.pk).update(at=at)
    return entry.pk


def shown(client: Any, **filters: str) -> list[int]:
    """The ids of the entries on the page."""
    return [entry.row.pk for entry in client.get(PAGE, filters).context["entries"]]


class TestList:
    def test_it_shows_the_latest_first_with_who_what_and_why(self, viewer, queue):
        old = noted(queue.team, queue=queue, queue_name="orders")
        new = noted(queue.team, Action.QUEUE_RESUMED, actor="olga", reason="The provider is back")
        assert shown(viewer) == [new, old]
        page = viewer.get(PAGE).text
        for words in ("Queue resumed", "olga", "“The provider is back”", f"/queues/{queue.public_id}/"):
            assert words in page

    def test_it_shows_only_ones_own_teams(self, viewer, team, stranger):
        theirs = noted(Team.objects.get(name="strangers"))
        mine = noted(team)
        assert shown(viewer) == [mine]
        assert shown(stranger) == [theirs]

    def test_it_shows_all_of_ones_teams_and_names_them(self, team):
        other = new_team("other-team")
        person = new_person("many", team)
        Membership.objects.create(user=person, team=other, role=Role.VIEWER)
        entries = [noted(team), noted(other)]
        client = browser_of(person)
        assert shown(client) == entries[::-1]
        assert shown(client, team="other-team") == [entries[1]]
        assert '<th scope="col">Team</th>' in client.get(PAGE).text

    def test_it_goes_through_pages_by_key_and_keeps_the_filter(self, viewer, team):
        ids = [noted(team, actor="ada") for _ in range(limits.PAGE_SIZE + 2)]
        noted(team, actor="bob")
        first = viewer.get(PAGE, {"actor": "ada"})
        second = viewer.get(first.context["page"].next)
        assert [entry.row.pk for entry in second.context["entries"]] == ids[1::-1]
        assert "actor=ada" in second.context["page"].previous

    def test_it_says_so_when_nothing_was_done_yet(self, viewer, team):
        assert "Nothing was done yet" in viewer.get(PAGE).text

    def test_who_is_in_no_team_sees_nothing(self, db):
        noted(new_team())
        assert shown(browser_of(new_person("nobody"))) == []

    def test_it_asks_people_to_sign_in(self, anybody):
        assert anybody.get(PAGE)["Location"].startswith("/accounts/login/")

    def test_it_names_a_queue_that_is_gone(self, viewer, queue):
        noted(queue.team, queue=queue, queue_name="orders")
        queues.delete(queue)
        page = viewer.get(PAGE).text
        assert "orders" in page
        assert f"/queues/{queue.public_id}/" not in page

    def test_it_takes_as_many_statements_for_many(self, viewer, team, django_assert_max_num_queries):
        for _ in range(20):
            noted(team, queue=new_queue(team))
        with django_assert_max_num_queries(10):
            viewer.get(PAGE)


class TestFilters:
    def test_by_the_whole_name_of_a_queue(self, viewer, team):
        wanted = noted(team, queue_name="orders")
        noted(team, queue_name="orders-dlq")
        assert shown(viewer, queue="orders") == [wanted]

    def test_by_action(self, viewer, team):
        noted(team, Action.QUEUE_PAUSED)
        wanted = noted(team, Action.QUEUE_PURGED)
        assert shown(viewer, action="queue.purged") == [wanted]

    def test_by_who_did_it(self, viewer, team):
        noted(team, actor="ada")
        wanted = noted(team, actor="bob")
        assert shown(viewer, actor="bob") == [wanted]

    def test_by_time(self, viewer, team):
        noon = datetime.fromisoformat("2026-11-18T12:00:00+00:00")
        ids = [noted(team, at=noon + timedelta(hours=hours)) for hours in range(4)]
        assert shown(viewer, since="2026-11-18T13:00", until="2026-11-18T15:00") == ids[2:0:-1]
        assert shown(viewer, since="2026-11-19") == []

    def test_together(self, viewer, team):
        noted(team, actor="ada", queue_name="orders")
        noted(team, actor="bob", queue_name="orders")
        wanted = noted(team, actor="bob", queue_name="invoices")
        assert shown(viewer, actor="bob", queue="invoices") == [wanted]

    def test_what_matches_nothing_says_what_to_do(self, viewer, team):
        noted(team)
        page = viewer.get(PAGE, {"actor": "nobody"}).text
        assert "Nothing matches" in page
        assert "Clear the filter" in page

    @pytest.mark.parametrize(
        "filters",
        [{"action": "no.such"}, {"since": "yesterday"}, {"team": "strangers"}, {"queue": "x" * 81}],
    )
    def test_what_makes_no_sense_is_said_beside_its_field(self, viewer, team, filters):
        Membership.objects.create(user=viewer_user(), team=new_team("second"), role=Role.VIEWER)
        noted(team)
        answer = viewer.get(PAGE, filters)
        assert answer.context["form"].errors.keys() == filters.keys()
        assert answer.context["entries"] == []

    @pytest.mark.parametrize("hostile", ["\x00", HOSTILE[:60], "%00", "'; DROP TABLE audit_entry"])
    def test_no_filter_breaks_the_page(self, viewer, team, hostile):
        for name in ("queue", "actor", "action", "team", "since", "until", "after", "before"):
            assert viewer.get(PAGE, {name: hostile}).status_code == 200

    def test_one_that_takes_too_long_is_given_up_kindly(self, viewer, team, monkeypatch):
        def give_up(*args: Any, **kwargs: Any) -> None:
            raise SearchTooSlow()

        monkeypatch.setattr(views, "page_of", give_up)
        page = viewer.get(PAGE, {"actor": "nobody"}).text
        assert "stopped after 3 seconds" in page
        assert "Nothing matches" not in page


def viewer_user() -> Any:
    return Membership.objects.get(user__username="vera").user


class TestWording:
    def facts(self, detail: dict[str, Any]) -> dict[str, str]:
        def text(pieces: list[audit_wording.Piece]) -> str:
            return ", ".join(piece.text for piece in pieces)

        entry = AuditEntry(action=Action.QUEUE_CHANGED, detail=detail)
        return {
            fact.name: f"{text(fact.before)} -> {text(fact.values)}" if fact.before else text(fact.values)
            for fact in audit_wording.described(entry).facts
        }

    def test_a_changed_setting_shows_what_it_was(self):
        detail = {
            "before": {"max_deliveries": 3, "dlq": None, "tags": {}},
            "after": {"max_deliveries": 7, "dlq": "spare-dlq", "tags": {"tier": "1"}},
        }
        assert self.facts(detail) == {
            "Max deliveries": "3 -> 7",
            "Dlq": "nothing -> spare-dlq",
            "Tags": 'nothing -> {"tier": "1"}',
        }

    def test_what_stayed_the_same_is_left_out(self):
        assert self.facts({"before": {"a": 1, "b": 2}, "after": {"a": 1, "b": 3}}) == {"B": "2 -> 3"}

    def test_a_role_shows_what_it_was(self):
        assert self.facts({"before": "viewer", "after": "owner"}) == {"Changed": "viewer -> owner"}

    def test_the_rest_is_a_line_each_and_nothing_is_no_line(self):
        detail = {"search": "error:Timeout", "target": None, "planned": 0, "settings": {"queue_size": 10}}
        assert self.facts(detail) == {"Search": "error:Timeout", "Planned": "0", "Queue size": "10"}

    def test_what_belongs_to_something_says_so(self):
        assert self.facts({"moved": 2, "skipped": {"leased": 1}}) == {"Moved": "2", "Skipped, leased": "1"}

    def test_long_lists_and_texts_are_cut(self):
        facts = self.facts({"ids": [str(number) for number in range(30)], "note": "x" * 1_000})
        assert facts["Messages"].endswith("9, and 20 more")
        assert len(facts["Note"]) == audit_wording.LONGEST + 1

    def test_ids_lead_to_what_they_name(self, viewer, team):
        ids = ["msg_0123456789012345678901", "rd_0123456789012345678901"]
        noted(team, Action.MESSAGE_REQUEUED, subject=ids[0], detail={"redrive_id": ids[1], "to": "orders"})
        page = viewer.get(PAGE).text
        for each in ids:
            assert f'href="{reverse("console:search")}?q={each}"' in page
        assert "?q=orders" not in page

    def test_an_action_of_tomorrow_is_shown_as_it_is(self, viewer, team):
        noted(team, "topic.published")
        assert "topic.published" in viewer.get(PAGE).text

    @pytest.mark.parametrize("detail", [[], ["a"], "text", 7, None, {"a": {"b": {"c": [{"d": 1}]}}}])
    def test_no_detail_breaks_the_page(self, viewer, team, detail):
        AuditEntry.objects.filter(pk=noted(team)).update(detail=detail if detail is not None else {})
        assert viewer.get(PAGE).status_code == 200


def test_hostile_text_is_shown_as_text(viewer, queue):
    queue_name = HOSTILE[:80]
    noted(
        queue.team,
        actor=HOSTILE,
        queue_name=queue_name,
        subject=HOSTILE,
        reason=HOSTILE,
        detail={HOSTILE: HOSTILE, "ids": [HOSTILE], "before": {HOSTILE: HOSTILE}, "after": {HOSTILE: 1}},
    )
    assert_harmless(viewer.get(PAGE).text)
    assert_harmless(viewer.get(PAGE, {"queue": queue_name}).text)


def test_the_tab_of_a_queue_leads_to_its_entries(viewer, queue):
    noted(new_team())
    mine = noted(queue.team, queue=queue, queue_name="orders")
    tab = f"{PAGE}?queue=orders"
    assert tab in viewer.get(reverse("console:queue", args=[queue.public_id])).text
    assert [entry.row.pk for entry in viewer.get(tab).context["entries"]] == [mine]


def test_looking_is_not_noted(viewer, queue):
    Queue.objects.filter(pk=queue.pk).update(updated_at=timezone.now())
    viewer.get(PAGE)
    assert not AuditEntry.objects.exists()
