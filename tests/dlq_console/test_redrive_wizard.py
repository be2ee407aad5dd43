"""The redrive wizard: scope, plan, confirmation, and who may do what."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from dlq_console import redrive_scope
from dlq_console.views import redrives as views
from queues import limits
from queues.errors import RedriveTooLarge
from queues.models import AuditEntry, Membership, Message, Queue, RedriveTask, Role, Team
from queues.operations import queues, redrive, redrive_plan
from queues.operations.receive import receive
from tests.dlq_console.conftest import new_person
from tests.dlq_console.redrives import (
    HOSTILE,
    address,
    confirm,
    number_in,
    plan_page,
    redriven,
    seal_in,
    three_dead_letters,
)
from tests.factories import NOW, dead_letter, new_queue

pytestmark = pytest.mark.django_db


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    return three_dead_letters(queue)


class TestScope:
    def test_it_takes_the_search_of_the_dead_letter_page_along(self, operator: Client, dlq: Queue) -> None:
        page = operator.get(address("redrive-new", dlq), {"q": "error:Timeout"}).content.decode()
        assert 'value="error:Timeout"' in page
        assert "nothing moves before you confirm" in page

    @pytest.mark.parametrize(
        ("field", "wrong", "bounds"),
        [
            ("rate", "0", limits.REDRIVE_RATE),
            ("limit", "99999999999", limits.REDRIVE_LIMIT),
            ("return_percent", "101", (0, 100)),
            ("watch_seconds", "0", limits.CANARY_WATCH_SECONDS),
        ],
    )
    def test_a_number_out_of_bounds_is_refused_in_the_words_of_the_api(
        self, operator: Client, dlq: Queue, field: str, wrong: str, bounds: tuple[int, int]
    ) -> None:
        answer = operator.get(address("redrive-plan", dlq), {field: wrong})
        assert answer.context["form"].errors == {field: [limits.must_be_within(bounds)]}

    def test_it_offers_only_queues_that_could_take_them(self, operator: Client, dlq: Queue) -> None:
        new_queue(dlq.team, name="other-orders")
        ordered = new_queue(dlq.team, name="ordered")
        Queue.objects.filter(pk=ordered.pk).update(mode="fifo")
        new_queue(name="of-strangers")
        page = operator.get(address("redrive-new", dlq)).content.decode()
        options = re.findall(r"<option[^>]*>([^<]+)", page.split('name="target"')[1].split("</select>")[0])
        assert options == ["Each message to the queue it died in", "orders", "other-orders"]

    def test_it_names_a_term_it_does_not_understand(self, operator: Client, dlq: Queue) -> None:
        page = plan_page(operator, dlq, q="colour:red")
        assert "There is no such qualifier" in page
        assert "Make the plan" in page

    def test_it_says_kindly_that_there_are_too_many(
        self, operator: Client, dlq: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def give_up(*args: Any, **kwargs: Any) -> None:
            raise RedriveTooLarge()

        monkeypatch.setattr(redrive_plan, "count", give_up)
        assert "narrow the filter, or give a limit" in plan_page(operator, dlq)

    def test_it_points_at_the_redrive_that_runs(self, operator: Client, dlq: Queue) -> None:
        running = redrive.start(dlq)
        page = operator.get(address("redrive-new", dlq)).content.decode()
        assert address("redrive", dlq, running.public_id) in page


class TestPlan:
    def test_it_says_what_moves_where_and_what_stays_and_why(self, operator: Client, dlq: Queue) -> None:
        Message.objects.filter(data="two").update(redrive_count=3)
        page = plan_page(operator, dlq)
        assert "Redrive 2 messages" in page
        assert "Redriven 3 times or more, and back every time" in page
        assert "orders" in page
        assert number_in(dlq) == 3
        assert not RedriveTask.objects.exists()

    def test_it_includes_those_that_came_back_when_asked(self, operator: Client, dlq: Queue) -> None:
        Message.objects.filter(data="two").update(redrive_count=3)
        page = plan_page(operator, dlq, often="on")
        assert "Redrive 3 messages" in page
        assert "Loop guard" in page

    def test_it_has_no_button_when_nothing_would_move(self, operator: Client, dlq: Queue) -> None:
        page = plan_page(operator, dlq, q="id:msg_0000000000000000000000")
        assert "Nothing would move" in page
        assert 'name="plan"' not in page

    def test_it_shows_hostile_text_as_text(self, operator: Client, dlq: Queue) -> None:
        page = plan_page(operator, dlq, q=f'"{HOSTILE.replace(chr(34), "")}" \u202eevil')
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
        assert "⟦U+202E⟧" in page

    def test_it_takes_a_bounded_number_of_statements(
        self, operator: Client, dlq: Queue, queue: Queue, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(5):
            dead_letter(queue, f"more {number}", now=NOW - timedelta(minutes=5))
        with django_assert_max_num_queries(20):
            plan_page(operator, dlq)


class TestStart:
    def test_it_moves_what_the_button_said(self, operator: Client, queue: Queue, dlq: Queue) -> None:
        page = plan_page(operator, dlq)
        dead_letter(queue, "died meanwhile", now=timezone.now() + timedelta(seconds=1))
        response = confirm(operator, dlq, page)
        task = RedriveTask.objects.get()
        assert response["Location"] == address("redrive", dlq, task.public_id)
        assert (task.status, task.matched, task.moved) == ("completed", 3, 3)
        assert "Redrive 3 messages" in page
        assert list(Message.objects.filter(queue_id=dlq.pk).values_list("data", flat=True)) == [
            "died meanwhile"
        ]

    def test_it_keeps_the_ages_of_the_plan(self, operator: Client, dlq: Queue) -> None:
        """`age:>1m` means the minute before the plan, however long the person thinks about it."""
        Message.objects.filter(data="three").update(entered_at=timezone.now())
        page = plan_page(operator, dlq, q="age:>1m")
        assert "Redrive 2 messages" in page
        confirm(operator, dlq, page)
        assert RedriveTask.objects.get().moved == 2

    def test_it_goes_to_the_chosen_queue(self, operator: Client, dlq: Queue) -> None:
        other = new_queue(dlq.team, name="other")
        redriven(operator, dlq, target=other.public_id, limit="2", rate="100")
        task = RedriveTask.objects.get()
        assert (task.target, task.limit, task.max_messages_per_second) == (other, 2, 100)

    def test_it_writes_who_and_why(self, operator: Client, dlq: Queue) -> None:
        task = redriven(operator, dlq, q="source:orders")
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.action, entry.reason) == (
            "oscar",
            "redrive.started",
            "The gateway is back",
        )
        assert entry.detail == {
            "search": "source:orders",
            "target": None,
            "planned": 3,
            "redrive_id": task.public_id,
        }
        assert task.requested_by == "oscar"

    def test_it_leaves_neither_task_nor_audit_when_it_fails(
        self, operator: Client, dlq: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page = plan_page(operator, dlq)

        def fail(*args: Any, **kwargs: Any) -> None:
            raise RuntimeError("no audit today")

        monkeypatch.setattr("queues.operations.audit.record", fail)
        with pytest.raises(RuntimeError):
            confirm(operator, dlq, page)
        assert not RedriveTask.objects.exists()
        assert not AuditEntry.objects.exists()

    def test_it_asks_for_a_reason(self, operator: Client, dlq: Queue) -> None:
        response = confirm(operator, dlq, plan_page(operator, dlq), reason=" ")
        assert "Say why" in response.content.decode()
        assert "Redrive 3 messages" in response.content.decode()
        assert not RedriveTask.objects.exists()

    def test_it_asks_again_when_the_number_is_no_longer_true(self, operator: Client, dlq: Queue) -> None:
        page = plan_page(operator, dlq)
        receive(dlq, visibility_timeout=600)
        response = confirm(operator, dlq, page)
        assert response.status_code == 409
        assert not RedriveTask.objects.exists()
        again = response.content.decode()
        assert "Redrive 2 messages" in again
        assert "The gateway is back" in again
        assert confirm(operator, dlq, again).status_code == 303
        assert RedriveTask.objects.get().moved == 2

    def test_it_says_kindly_that_another_one_runs(self, operator: Client, dlq: Queue) -> None:
        page = plan_page(operator, dlq)
        redrive.start(dlq)
        response = confirm(operator, dlq, page)
        assert response.status_code == 409
        assert "Another redrive of this queue is running" in response.content.decode()
        assert not AuditEntry.objects.exists()

    def test_it_leaves_large_ones_to_maintenance(
        self, operator: Client, dlq: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(views, "FIRST_BATCH", 1)
        monkeypatch.setattr(views, "FIRST_BATCHES", 2)
        task = redriven(operator, dlq)
        assert (task.status, task.moved) == ("running", 2)

    def test_confirmed_twice_it_is_done_once(self, operator: Client, dlq: Queue, queue: Queue) -> None:
        """A double click without scripts: the browser shows the answer to the second."""
        page = plan_page(operator, dlq)
        answers = [confirm(operator, dlq, page) for _ in range(2)]
        task = RedriveTask.objects.get()
        assert [answer.headers["Location"] for answer in answers] == [
            address("redrive", dlq, task.public_id)
        ] * 2
        assert AuditEntry.objects.count() == 1
        assert number_in(queue) == 3


class TestSeal:
    def refused(self, client: Client, dlq: Queue, seal: str) -> None:
        response = client.post(address("redrive-start", dlq), {"plan": seal, "reason": "because"})
        assert response.status_code == 400
        assert "This plan cannot be used" in response.content.decode()
        assert not RedriveTask.objects.exists()

    def test_it_refuses_a_plan_that_was_changed(self, operator: Client, dlq: Queue) -> None:
        seal = seal_in(plan_page(operator, dlq))
        self.refused(operator, dlq, ("A" if seal[1] != "A" else "B").join([seal[0], seal[2:]]))

    @pytest.mark.parametrize("seal", ["", "x", "a:b:c", "{}"])
    def test_it_refuses_what_is_no_plan(self, operator: Client, dlq: Queue, seal: str) -> None:
        self.refused(operator, dlq, seal)

    def test_it_refuses_a_seal_made_for_something_else(self, operator: Client, dlq: Queue) -> None:
        self.refused(operator, dlq, signing.dumps({"queue": dlq.public_id}, salt="another"))

    def test_it_refuses_a_plan_of_another_queue(self, operator: Client, dlq: Queue) -> None:
        other = dead_letter(new_queue(dlq.team, max_deliveries=1))
        self.refused(operator, other, seal_in(plan_page(operator, dlq)))

    def test_it_refuses_a_plan_of_another_person(self, operator: Client, owner: Client, dlq: Queue) -> None:
        self.refused(owner, dlq, seal_in(plan_page(operator, dlq)))

    def test_it_refuses_an_old_plan(
        self, operator: Client, dlq: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(redrive_scope, "GOOD_FOR_SECONDS", -1)
        self.refused(operator, dlq, seal_in(plan_page(operator, dlq)))

    def test_a_target_that_is_gone_does_not_become_the_source(self, operator: Client, dlq: Queue) -> None:
        other = new_queue(dlq.team)
        page = plan_page(operator, dlq, target=other.public_id)
        queues.delete(other)
        response = confirm(operator, dlq, page)
        assert response.status_code == 400
        assert "deleted since" in response.content.decode()
        assert not RedriveTask.objects.exists()


class TestRights:
    def test_a_viewer_sees_the_history_and_no_action(
        self, viewer: Client, operator: Client, dlq: Queue
    ) -> None:
        task = redriven(operator, dlq)
        page = viewer.get(address("redrive", dlq, task.public_id)).content.decode()
        assert "Undo" not in page
        assert "New redrive" not in viewer.get(address("redrives", dlq)).content.decode()

    @pytest.mark.parametrize("name", ["redrive-new", "redrive-plan"])
    def test_a_viewer_may_not_plan(self, viewer: Client, dlq: Queue, name: str) -> None:
        assert viewer.get(address(name, dlq)).status_code == 403

    def test_a_forged_post_of_a_viewer_is_refused(self, viewer: Client, operator: Client, dlq: Queue) -> None:
        page = plan_page(operator, dlq)
        assert confirm(viewer, dlq, page).status_code == 403
        task = redrive.start(dlq)
        for name in ("redrive-cancel", "redrive-undo"):
            assert viewer.post(address(name, dlq, task.public_id)).status_code == 403
        task.refresh_from_db()
        assert task.status == "running"

    def test_a_post_without_the_token_is_refused(self, team: Team, dlq: Queue) -> None:
        careful = Client(enforce_csrf_checks=True)
        careful.force_login(new_person("otto", team, Role.OWNER))
        page = plan_page(careful, dlq)
        assert confirm(careful, dlq, page).status_code == 403
        assert not RedriveTask.objects.exists()

    def test_a_right_that_is_lost_after_the_plan_is_lost(
        self, operator: Client, dlq: Queue, team: Team
    ) -> None:
        page = plan_page(operator, dlq)
        mine = Membership.objects.filter(team=team, user__username="oscar")
        mine.update(role=Role.VIEWER)
        assert confirm(operator, dlq, page).status_code == 403
        mine.delete()
        assert confirm(operator, dlq, page).status_code == 404
        assert not RedriveTask.objects.exists()

    def test_for_a_stranger_there_is_nothing(self, stranger: Client, operator: Client, dlq: Queue) -> None:
        page = plan_page(operator, dlq)
        assert confirm(stranger, dlq, page).status_code == 404
        task = redriven(operator, dlq)
        for name in ("redrives", "redrive-new", "redrive-plan"):
            assert stranger.get(address(name, dlq)).status_code == 404
        assert stranger.get(address("redrive", dlq, task.public_id)).status_code == 404
        for name in ("redrive-cancel", "redrive-undo"):
            assert stranger.post(address(name, dlq, task.public_id)).status_code == 404

    def test_a_redrive_of_another_queue_is_not_found_here(
        self, stranger: Client, operator: Client, dlq: Queue
    ) -> None:
        task = redriven(operator, dlq)
        theirs = new_queue(Team.objects.get(name="strangers"))
        assert stranger.get(address("redrive", theirs, task.public_id)).status_code == 404
        assert stranger.post(address("redrive-undo", theirs, task.public_id)).status_code == 404

    def test_a_target_of_strangers_cannot_be_chosen(
        self, operator: Client, dlq: Queue, stranger: Client
    ) -> None:
        theirs = new_queue(Team.objects.get(name="strangers"))
        page = plan_page(operator, dlq, target=theirs.public_id)
        assert "Select a valid choice" in page
        assert 'name="plan"' not in page

    def test_who_is_not_signed_in_is_asked_to(self, anybody: Client, dlq: Queue) -> None:
        response = anybody.get(address("redrive-new", dlq))
        assert response["Location"].startswith("/accounts/login/")

    @pytest.mark.parametrize("name", ["redrive-start"])
    def test_looking_starts_nothing(self, operator: Client, dlq: Queue, name: str) -> None:
        assert operator.get(address(name, dlq)).status_code == 405
