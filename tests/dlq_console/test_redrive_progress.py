"""A redrive that is under way or done: progress, cancel, undo, history."""

from typing import Any

import pytest
from django.test import Client

from dlq_console.views import redrives as views
from queues.models import AuditEntry, Queue, RedriveTask
from queues.operations import redrive, redrive_run
from queues.operations.receive import receive
from tests.dlq_console.redrives import HOSTILE, address, number_in, redriven, three_dead_letters
from tests.factories import new_queue

pytestmark = pytest.mark.django_db


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    return three_dead_letters(queue)


class TestTask:
    def test_it_shows_how_far_it_is(self, operator: Client, dlq: Queue) -> None:
        task = redrive.start(dlq)
        redrive_run.advance(task.pk, 2)
        page = operator.get(address("redrive", dlq, task.public_id)).content.decode()
        assert '<progress class="progress" id="redrive-bar" max="3" value="2">' in page
        assert "2 of 3 dealt with." in page
        assert 'hx-trigger="every 2s"' in page
        assert "X-SimpleMQ-Refresh" in page
        assert ">Refresh</a>" in page

    def test_a_poll_gets_the_part_and_stops_at_the_end(self, operator: Client, dlq: Queue) -> None:
        task = redriven(operator, dlq)
        headers = {"HX-Request": "true", "X-SimpleMQ-Refresh": "1"}
        part = operator.get(address("redrive", dlq, task.public_id), headers=headers).content.decode()
        assert part.strip().startswith('<div id="redrive-progress"')
        assert "hx-trigger" not in part
        assert "Completed" in part

    def test_it_says_in_words_where_the_canary_is(self, operator: Client, dlq: Queue) -> None:
        task = redriven(operator, dlq, canary="on", watch_seconds="90", return_percent="25")
        assert task.canary == {"steps": [1, 10], "max_return_ratio": 0.25, "watch_seconds": 90}
        assert (task.status, task.moved) == ("running", 1)
        page = operator.get(address("redrive", dlq, task.public_id)).content.decode()
        until = f"{task.watch_until:%H:%M:%S}"
        assert f"Step 1 of 3: 1 moved, watching until {until}; 0 came back." in page

    def test_the_canary_stops_when_messages_come_back(
        self, operator: Client, queue: Queue, dlq: Queue
    ) -> None:
        task = redriven(operator, dlq, canary="on")
        while receive(queue, visibility_timeout=0):
            pass
        redrive_run.advance(task.pk, 100)
        page = operator.get(address("redrive", dlq, task.public_id)).content.decode()
        assert "Stopped by itself" in page
        assert "1 of 1 redriven messages came back dead." in page
        assert number_in(dlq) == 3

    def test_it_shows_hostile_reasons_as_text(self, operator: Client, dlq: Queue) -> None:
        task = redrive.start(dlq, filter={"error_type": HOSTILE}, requested_by=HOSTILE)
        RedriveTask.objects.update(reason=HOSTILE)
        for name, *more in (("redrive", task.public_id), ("redrives",)):
            page = operator.get(address(name, dlq, *more)).content.decode()
            assert "<script>alert" not in page
            assert "&lt;script&gt;alert" in page

    def test_it_can_be_cancelled(self, operator: Client, dlq: Queue) -> None:
        task = redrive.start(dlq)
        redrive_run.advance(task.pk, 1)
        response = operator.post(address("redrive-cancel", dlq, task.public_id), follow=True)
        assert "Cancelled" in response.content.decode()
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.subject, entry.detail) == (
            "redrive.cancelled",
            task.public_id,
            {"moved": 1},
        )

    def test_one_that_is_over_is_not_cancelled(self, operator: Client, dlq: Queue) -> None:
        task = redriven(operator, dlq)
        operator.post(address("redrive-cancel", dlq, task.public_id))
        assert AuditEntry.objects.filter(action="redrive.cancelled").count() == 0

    def test_it_can_be_undone_as_far_as_nobody_received(
        self, operator: Client, queue: Queue, dlq: Queue
    ) -> None:
        task = redriven(operator, dlq)
        receive(queue, visibility_timeout=600)
        response = operator.post(address("redrive-undo", dlq, task.public_id), follow=True)
        assert "Pulled back 2 messages" in response.content.decode()
        assert number_in(dlq) == 2
        entry = AuditEntry.objects.get(action="redrive.undone")
        assert (entry.subject, entry.detail) == (task.public_id, {"count": 2})

    def test_a_large_undo_goes_on_when_asked_again(
        self, operator: Client, dlq: Queue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = redriven(operator, dlq)
        monkeypatch.setattr("queues.operations.redrive_undo.BATCH", 1)
        monkeypatch.setattr(views, "UNDO_BATCH", 1)
        monkeypatch.setattr(views, "UNDO_BATCHES", 2)
        response = operator.post(address("redrive-undo", dlq, task.public_id), follow=True)
        assert "undo once more" in response.content.decode()
        operator.post(address("redrive-undo", dlq, task.public_id))
        assert number_in(dlq) == 3


class TestHistory:
    def test_it_says_what_to_do_when_there_is_none(self, operator: Client, dlq: Queue) -> None:
        assert "No redrives yet" in operator.get(address("redrives", dlq)).content.decode()

    def test_it_lists_them_in_a_bounded_number_of_statements(
        self, operator: Client, dlq: Queue, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(60):
            redrive.cancel(redrive.start(dlq, target=new_queue(dlq.team)))
        with django_assert_max_num_queries(10):
            page = operator.get(address("redrives", dlq)).content.decode()
        assert page.count("Cancelled") == 50
        assert 'rel="next"' in page
