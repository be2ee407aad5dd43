import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from queues import waiting
from queues.api.hang_up import hung_up
from queues.models import Queue
from tests.factories import ready_messages
from tests.queues.api.caller import Caller, assert_problem


def test_it_answers_at_once_when_there_is_a_message(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "a", "b", "c")
    assert owner.get(messages, wait_seconds=20).json()["data"] == "a"
    assert owner.get(messages, wait_seconds=20, limit=1).json()["messages"][0]["data"] == "b"
    assert owner.post(f"{messages}/receive", {"wait_seconds": 20}).json()["messages"][0]["data"] == "c"


def test_it_answers_empty_when_the_time_is_over(owner: Caller, messages: str) -> None:
    assert owner.get(messages, wait_seconds=1).json() == {"message": None}


def test_it_waits_not_at_all_unless_asked_to(owner: Caller, messages: str, no_room: None) -> None:
    assert owner.get(messages).json() == {"message": None}
    assert owner.get(messages, wait_seconds=0).json() == {"message": None}


def test_the_queue_may_ask_for_it(owner: Caller, address: str, messages: str, no_room: None) -> None:
    assert owner.patch(address, {"receive_wait_seconds": 20}).json()["receive_wait_seconds"] == 20
    assert_problem(owner.get(messages), 429, "quota_exceeded")
    assert owner.get(messages, wait_seconds=0).json() == {"message": None}


def test_it_refuses_one_more_than_may_wait(owner: Caller, messages: str, no_room: None) -> None:
    response = owner.get(messages, wait_seconds=20)
    assert_problem(response, 429, "quota_exceeded")
    assert response["Retry-After"] == "1"
    assert_problem(owner.post(f"{messages}/receive", {"wait_seconds": 1}), 429, "quota_exceeded")


def test_it_serves_one_too_many_when_there_is_a_message(
    owner: Caller, queue: Queue, messages: str, no_room: None
) -> None:
    ready_messages(queue, "x")
    assert owner.get(messages, wait_seconds=20).json()["data"] == "x"


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many wait as may."""
    monkeypatch.setattr(waiting.room, "most_per_team", 0)


class TestHangUp:
    @pytest.fixture
    def ends(self) -> Iterator[tuple[socket.socket, socket.socket]]:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            yield ours, theirs

    def test_it_is_there_while_it_waits(self, ends: tuple[socket.socket, socket.socket]) -> None:
        assert not hung_up(request_on(ends[0]))

    def test_it_is_gone_when_it_closed(self, ends: tuple[socket.socket, socket.socket]) -> None:
        ends[1].close()
        assert hung_up(request_on(ends[0]))

    def test_it_is_gone_when_we_closed(self, ends: tuple[socket.socket, socket.socket]) -> None:
        ends[0].close()
        assert hung_up(request_on(ends[0]))

    def test_it_is_there_when_its_next_request_has_come(
        self, ends: tuple[socket.socket, socket.socket]
    ) -> None:
        ends[1].sendall(b"GET /")
        assert not hung_up(request_on(ends[0]))
        assert ends[0].recv(5) == b"GET /"  # nothing was taken away

    def test_it_is_there_where_nobody_can_tell(self) -> None:
        assert not hung_up(request_on(None))


def request_on(connection: socket.socket | None) -> Any:
    return SimpleNamespace(META={"gunicorn.socket": connection})
