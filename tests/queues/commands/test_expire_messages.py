import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from queues.management.commands import expire_messages
from queues.models import Message, MessageLog, State
from tests.factories import after, new_queue, ready_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def run_command(*args: str) -> str:
        call_command("expire_messages", *args)
        return capsys.readouterr().out

    return run_command


def test_it_removes_what_is_over_age_and_says_how_many(run: Any) -> None:
    queue = new_queue(retention_seconds=60)
    ready_message(queue, "old", now=after(hours=-1), ttl_seconds=1)
    ready_message(queue, "young")
    assert run() == "Expired 1 message.\n"
    assert Message.objects.get().data == "young"
    assert MessageLog.objects.get().outcome == "expired"


def test_it_goes_on_until_nothing_is_left(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expire_messages, "BATCH", 2)
    queue = new_queue()
    for _ in range(5):
        ready_message(queue, now=after(hours=-1), ttl_seconds=1)
    assert run() == "Expired 5 messages.\n"


def test_it_removes_what_a_receive_has_marked(run: Any) -> None:
    ready_message(new_queue())
    Message.objects.update(state=State.EXPIRED)
    assert json.loads(run("--format", "json")) == {"expired": 1}


def test_it_leaves_other_queues_alone(run: Any) -> None:
    one, other = new_queue(), new_queue()
    for queue in (one, other):
        ready_message(queue, now=after(hours=-1), ttl_seconds=1)
    assert run("--queue", one.name) == "Expired 1 message.\n"
    assert Message.objects.get().queue_id == other.pk


def test_it_says_when_there_is_no_such_queue(run: Any) -> None:
    with pytest.raises(CommandError, match=r"^There is no queue nothing\.$"):
        run("--queue", "nothing")
