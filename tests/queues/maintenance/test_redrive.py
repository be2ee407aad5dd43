"""The duty: every redrive that runs gets its next batch."""

from datetime import timedelta

import pytest
from django.db import DataError

from queues.maintenance import DUTIES, redrive
from queues.models import Message, Queue, RedriveTask
from queues.operations import redrive as redrives
from queues.operations import redrive_run
from tests.factories import after, dead_letter, new_queue

pytestmark = pytest.mark.django_db
BATCH = 100
LATER = after(minutes=1)


def dlq_with(*data: str) -> Queue:
    source = new_queue(max_deliveries=1)
    for text in data:
        dlq = dead_letter(source, text)
    return dlq


def test_it_runs_often_enough_to_look_alive():
    [duty] = [duty for duty in DUTIES if duty.name == "redrive"]
    assert duty.every_seconds <= 0.5


def test_it_moves_a_batch_of_every_redrive_that_runs():
    for _ in range(2):
        redrives.start(dlq_with("one", "two", "three"), now=LATER)
    assert [redrive.run_once(2, LATER) for _ in range(3)] == [4, 2, 0]
    assert set(RedriveTask.objects.values_list("status", "moved")) == {("completed", 3)}


def test_it_does_nothing_when_none_runs():
    redrives.cancel(redrives.start(dlq_with("one"), now=LATER))
    assert redrive.run_once(BATCH, LATER) == 0


def test_it_comes_back_at_once_while_it_passes_over_what_does_not_match(monkeypatch):
    monkeypatch.setattr(redrive_run, "LOOK_AHEAD", 1)
    monkeypatch.setattr(redrive, "STRETCHES", 2)
    dlq = dlq_with("one", "two", "three")
    Message.objects.filter(data="three").update(fingerprint="f")
    redrives.start(dlq, filter={"fingerprint": "f"}, now=LATER)
    assert redrive.run_once(BATCH, LATER) == BATCH
    assert redrive.run_once(BATCH, LATER) == 1


def test_it_keeps_a_rate_over_its_passes():
    dlq = dlq_with("0")
    [one] = Message.objects.filter(queue_id=dlq.pk)
    Message.objects.bulk_create(
        Message(
            queue_id=dlq.pk,
            size_bytes=1,
            data="x",
            dead_lettered_at=one.dead_lettered_at,
            source_queue_id=one.source_queue_id,
        )
        for _ in range(300)
    )
    redrives.start(dlq, max_messages_per_second=20, now=LATER)
    moved = [redrive.run_once(BATCH, LATER + timedelta(seconds=0.5 * n)) for n in range(1, 21)]
    assert sum(moved) == 201  # in ten seconds, the first at once
    assert max(moved[1:]) == 10


def test_it_does_not_let_one_redrive_s_trouble_be_the_others(monkeypatch, caplog):
    bad, good = (redrives.start(dlq_with("one"), now=LATER) for _ in range(2))
    advance = redrive_run.advance

    def broken(task_id, *arguments):
        if task_id == bad.pk:
            raise DataError("broken")
        return advance(task_id, *arguments)

    monkeypatch.setattr(redrive_run, "advance", broken)
    assert redrive.run_once(BATCH, LATER) == 1
    assert "trying again later: broken" in caplog.text
    good.refresh_from_db()
    assert good.status == "completed"
