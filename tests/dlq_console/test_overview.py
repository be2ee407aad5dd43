import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues.models import Membership, Queue, Role
from queues.operations import queues
from tests.dlq_console.conftest import browser_of, new_person
from tests.factories import dead_letter, new_queue, new_team, ready_message

pytestmark = pytest.mark.django_db

PAGE = "/console/"


def text_of(client, address: str = PAGE) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_it_asks_people_to_sign_in(anybody):
    assert anybody.get(PAGE).headers["Location"] == "/accounts/login/?next=/console/"


def test_it_lists_the_queues_of_ones_teams_only(owner, queue):
    new_queue(new_team(), name="of-strangers")
    page = text_of(owner)
    assert f"/console/queues/{queue.public_id}/" in page
    assert "of-strangers" not in page


def test_it_puts_queues_with_problems_first_and_says_what_is_wrong(owner, team):
    new_queue(team, name="a-fine")
    dead_letter(new_queue(team, name="z-failing", max_deliveries=1))
    page = text_of(owner)
    assert page.index(">z-failing<") < page.index(">a-fine<")
    assert "1 dead letter" in page


class TestDeadLetterQueues:
    def test_they_are_shown_with_their_sources(self, owner, queue):
        dlq = dead_letter(queue)
        assert f"{dlq.name}</a>" not in text_of(owner)
        assert f"{dlq.name}</a>" in text_of(owner, "/console/?dlqs=on")

    def test_one_without_a_source_is_not_forgotten(self, owner, queue):
        dlq = dead_letter(queue)
        Queue.objects.filter(pk=queue.pk).update(dlq=None)
        assert f"{dlq.name}</a>" in text_of(owner)


class TestFilter:
    def test_it_keeps_what_has_the_text_in_its_name(self, owner, team):
        new_queue(team, name="orders-eu")
        new_queue(team, name="invoices")
        page = text_of(owner, "/console/?name=ORDERS")
        assert ">orders-eu<" in page
        assert ">invoices<" not in page

    def test_it_says_when_nothing_has_it(self, owner, queue):
        page = text_of(owner, "/console/?name=<script>alert(1)</script>%E2%80%AE")
        assert "No queue has “&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧”" in page


class TestTeams:
    def test_those_of_one_team_see_no_column_of_teams(self, owner, queue):
        assert '<th scope="col">Team</th>' not in text_of(owner)

    def test_those_of_several_do(self, team, queue):
        user = new_person("many", team)
        Membership.objects.create(user=user, team=new_team("other"), role=Role.VIEWER)
        assert '<th scope="col">Team</th>' in text_of(browser_of(user))


class TestEmptiness:
    def test_those_who_may_are_asked_to_create_the_first_queue(self, operator):
        assert "Create your first queue" in text_of(operator)

    def test_viewers_are_told_who_can(self, viewer):
        page = text_of(viewer)
        assert "Create your first queue" not in page
        assert "Your team has no queues yet" in page

    def test_those_without_a_team_are_told_whom_to_ask(self, db):
        assert "You are not a member of any team" in text_of(browser_of(new_person("nobody")))


def test_hostile_text_is_shown_as_text(owner, queue):
    Queue.objects.filter(pk=queue.pk).update(name="<img src=x onerror=alert(1)>\u202e")
    page = text_of(owner)
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;⟦U+202E⟧" in page


def test_it_says_when_a_queue_is_paused(viewer, queue):
    queues.pause(queue)
    assert "Paused" in text_of(viewer)


def test_looking_changes_nothing(viewer, queue):
    ready_message(queue)
    text_of(viewer)
    assert queues.find(queue.team, queue.public_id).updated_at == queue.updated_at


@pytest.mark.parametrize("many", [3, 60])
def test_it_needs_no_more_statements_for_more_queues(owner, team, many):
    for _ in range(many):
        dead_letter(new_queue(team, max_deliveries=1))
    with CaptureQueriesContext(connection) as statements:
        text_of(owner)
    assert len(statements) <= 6


def test_it_shows_no_more_rows_than_a_page_bears(owner, team, monkeypatch):
    monkeypatch.setattr("dlq_console.views.overview.MOST_ROWS", 2)
    for _ in range(5):
        new_queue(team)
    assert "3 more: filter by name" in text_of(owner)


def test_the_bare_address_leads_here(anybody):
    answer = anybody.get("/")
    assert (answer.status_code, answer["Location"]) == (302, "/console/")
    assert anybody.post("/").status_code == 405


@pytest.mark.parametrize("is_staff", [True, False])
def test_the_administration_is_offered_to_those_who_may_enter_it(owner, is_staff):
    User.objects.update(is_staff=is_staff)
    assert ('href="/admin/"' in owner.get("/console/").text) is is_staff
