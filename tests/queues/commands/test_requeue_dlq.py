import json
import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from io import StringIO
from typing import Any
from unittest import mock

import pytest
from django.core.management import CommandError, call_command

from queues.maintenance import redrive as duty
from queues.management.commands import requeue_dlq
from queues.models import Message, Queue, RedriveTask
from queues.operations import queues, redrive
from queues.operations.receive import receive
from tests.factories import dead_letter, new_queue, new_team, ready_message
from tests.simplemq.gunicorn_server import ROOT, database_url, until

PATIENCE = 30


@pytest.fixture
def source(db: None) -> Queue:
    return new_queue(new_team("payments"), name="orders", max_deliveries=1)


@pytest.fixture
def dlq(source: Queue) -> Queue:
    dead_letter(source, "one")
    return dead_letter(source, "two")


@pytest.fixture
def run(dlq: Queue, capsys: pytest.CaptureFixture[str]) -> Any:
    def run_command(*args: str, queue: str = "orders-dlq") -> str:
        capsys.readouterr()
        call_command("requeue_dlq", queue, *args)
        return capsys.readouterr().out

    return run_command


def live(queue: Queue) -> int:
    return Message.objects.filter(queue_id=queue.pk).count()


def test_it_moves_everything_and_says_how_many(run: Any, source: Queue, dlq: Queue) -> None:
    assert run("--yes") == "Moved 2 messages.\n"
    assert (live(source), live(dlq)) == (2, 0)
    assert RedriveTask.objects.get().requested_by.startswith("requeue_dlq")


@pytest.mark.parametrize("name", ["orders", "orders-dlq"])
def test_it_takes_the_queue_or_its_dead_letter_queue(run: Any, name: str) -> None:
    assert run("--yes", queue=name) == "Moved 2 messages.\n"


def test_it_takes_an_id(run: Any, dlq: Queue) -> None:
    assert run("--yes", queue=dlq.public_id) == "Moved 2 messages.\n"


def test_it_asks_for_the_team_when_several_have_such_a_queue(run: Any, source: Queue) -> None:
    new_queue(new_team("others"), name="orders")
    with pytest.raises(CommandError, match="--team"):
        run("--yes", queue="orders")
    assert run("--yes", "--team", "payments", queue="orders") == "Moved 2 messages.\n"


def test_it_says_when_there_is_no_such_queue(run: Any) -> None:
    with pytest.raises(CommandError, match=r"^There is no queue nothing\.$"):
        run("--yes", queue="nothing")


def test_it_says_when_there_is_nothing_to_move(run: Any) -> None:
    assert run("--yes", "--filter", "fingerprint=x") == (
        "Nothing to requeue: no dead letter in orders-dlq matches.\n"
    )
    assert not RedriveTask.objects.exists()


def test_it_plans_without_moving_anything(run: Any, dlq: Queue) -> None:
    receive(dlq)
    assert run("--dry-run") == ("orders: 1 message would go back there\norders-dlq: 1 leased would stay\n")
    assert live(dlq) == 2


def test_it_plans_in_json(run: Any, source: Queue) -> None:
    assert json.loads(run("--dry-run", "--format", "json")) == {
        "matched": 2,
        "targets": [{"queue_id": source.public_id, "queue_name": "orders", "count": 2}],
        "blocked": {},
    }


def test_it_ends_in_json(run: Any) -> None:
    ended = json.loads(run("--yes", "--format", "json"))
    assert (ended["status"], ended["moved"], ended["skipped"]) == ("completed", 2, {})
    assert ended["redrive_id"].startswith("rd_")


def test_it_exits_with_3_when_some_stay(run: Any, dlq: Queue, capsys: pytest.CaptureFixture[str]) -> None:
    Message.objects.filter(data="one").update(redrive_count=3)
    with pytest.raises(SystemExit) as leaving:
        run("--yes")
    assert leaving.value.code == 3
    assert capsys.readouterr().out == "Moved 1 message.\nSkipped 1: 1 redriven too often.\n"


def test_it_exits_with_3_when_all_stay(run: Any, dlq: Queue) -> None:
    Message.objects.update(redrive_count=3)
    with pytest.raises(SystemExit) as leaving:
        run("--yes")
    assert leaving.value.code == 3


def test_it_narrows_by_filters(run: Any, dlq: Queue) -> None:
    Message.objects.filter(data="one").update(error_type="Timeout", attributes={"n": 5, "tenant": "acme"})
    run(
        "--yes",
        "--filter",
        "error_type=Timeout",
        "--filter",
        "attribute.n=5",
        "--filter",
        "attribute.tenant=acme",
    )
    assert Message.objects.get(queue_id=dlq.pk).data == "two"


def test_it_moves_messages_that_are_named(run: Any, dlq: Queue) -> None:
    named = ",".join(message.public_id for message in Message.objects.filter(queue_id=dlq.pk))
    assert run("--yes", "--filter", f"message_ids={named}") == "Moved 2 messages.\n"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--filter", "colour=red"], "^filter.colour: Unknown field.$"),
        (["--filter", "red"], "'red' is not a filter"),
        (["--filter", "max_redrive_count=many"], "^filter.max_redrive_count: Must be a whole number.$"),
        (["--limit", "0"], "^limit: Must be between 1 and"),
        (["--rate", "0"], "^max_messages_per_second: Must be between 1 and"),
        (["--target", "nothing"], "^There is no queue nothing.$"),
        (["--target", "orders-dlq"], "^target_queue_id: "),
    ],
)
def test_it_refuses_in_one_sentence(run: Any, args: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("--yes", *args)


def test_it_moves_to_a_target_and_no_more_than_the_limit(run: Any, dlq: Queue) -> None:
    target = new_queue(dlq.team, name="elsewhere")
    run("--yes", "--target", "elsewhere", "--limit", "1")
    assert (live(target), live(dlq)) == (1, 1)


def test_it_refuses_while_another_redrive_runs(run: Any, dlq: Queue) -> None:
    redrive.start(dlq)
    with pytest.raises(CommandError, match="Another redrive of this queue is running"):
        run("--yes")


def test_it_needs_somebody_to_ask(run: Any, dlq: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    with pytest.raises(CommandError, match="nobody to ask whether to requeue 2 messages: give --yes"):
        run()
    assert live(dlq) == 2


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Any:
    def answer(text: str) -> None:
        terminal = StringIO(text)
        terminal.isatty = lambda: True  # type: ignore[method-assign]
        monkeypatch.setattr(sys, "stdin", terminal)

    return answer


def test_it_asks_with_the_number(dlq: Queue, answering: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answering("y\n")
    call_command("requeue_dlq", "orders")
    assert capsys.readouterr().err.endswith("Requeue 2 messages? [y/N] ")
    assert live(dlq) == 0


def test_it_takes_no_for_an_answer(run: Any, answering: Any, dlq: Queue) -> None:
    for text in ("n\n", "\n", ""):
        answering(text)
        with pytest.raises(CommandError, match=r"^Nothing was moved\.$"):
            run()
    assert live(dlq) == 2


def test_it_is_content_when_maintenance_does_the_work(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The task's row is held elsewhere whenever it asks."""

    def elsewhere(task_id: int, batch: int) -> Any:
        duty.run_once(batch)
        return requeue_dlq.advance.__wrapped__(-1, batch)  # type: ignore[attr-defined]

    real = requeue_dlq.advance
    monkeypatch.setattr(requeue_dlq, "advance", mock.Mock(side_effect=elsewhere, __wrapped__=real))
    assert run("--yes") == "Moved 2 messages.\n"


class TestAsAProcess:
    """The real thing, against a database that others see."""

    @pytest.fixture
    def environment(self, transactional_db: None) -> Iterator[dict[str, str]]:
        return {**os.environ, "DATABASE_URL": database_url()}

    def start(self, environment: dict[str, str], *args: str, **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "manage.py", "requeue_dlq", *args]
        return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **options)

    def test_it_shows_no_bar_to_a_pipe(self, environment: dict[str, str], dlq: Queue) -> None:
        process = self.start(environment, "orders", "--yes", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (0, "Moved 2 messages.\n", "")

    def test_it_says_no_in_one_sentence(self, environment: dict[str, str], dlq: Queue) -> None:
        process = self.start(
            environment,
            "orders",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (1, "")
        assert err == "CommandError: There is nobody to ask whether to requeue 2 messages: give --yes.\n"

    def test_it_shows_a_bar_on_a_terminal(self, environment: dict[str, str], dlq: Queue) -> None:
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        process = self.start(environment, "orders", stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        os.write(ours, b"y\n")
        shown = everything(ours)
        assert process.wait(PATIENCE) == 0
        assert "Requeue 2 messages? [y/N]" in shown
        assert "2/2" in shown
        assert "Moved 2 messages." in shown

    def test_it_is_cancelled_cleanly(self, environment: dict[str, str], source: Queue, dlq: Queue) -> None:
        narrow = new_queue(dlq.team, name="narrow", queue_size=1)
        process = self.start(
            environment,
            "orders",
            "--yes",
            "--target",
            "narrow",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        until(lambda: live(narrow) == 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (3, "")
        assert out == "Moved 1 message.\nCancelled; what moved stays moved.\n"
        assert RedriveTask.objects.get().status == "cancelled"
        assert (live(narrow), live(dlq)) == (1, 1)

    def test_it_shares_the_work_with_maintenance(self, environment: dict[str, str], dlq: Queue) -> None:
        source = dlq.source_queues.get()
        narrow = new_queue(dlq.team, name="narrow", queue_size=1)
        ready_message(narrow)
        process = self.start(
            environment,
            "orders",
            "--yes",
            "--target",
            "narrow",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        until(lambda: RedriveTask.objects.exclude(reason="").exists())
        queues.update(narrow, queue_size=None)
        while RedriveTask.objects.get().status == "running":
            duty.run_once(1)
        out, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (0, "Moved 2 messages.\n")
        assert (live(narrow), live(source)) == (3, 0)


def everything(terminal: int) -> str:
    """What a process writes to a terminal until it closes it; Linux then answers EIO."""
    shown = b""
    try:
        while chunk := os.read(terminal, 4096):
            shown += chunk
    except OSError:
        pass
    os.close(terminal)
    return shown.decode()
