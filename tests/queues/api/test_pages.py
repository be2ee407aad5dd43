"""Cursor pages, through the list of queues and the messages of one."""

import base64

import pytest

from queues.models import Queue, Team
from tests.factories import new_queue, ready_messages
from tests.queues.api.caller import Caller, assert_problem


@pytest.fixture
def five(team: Team) -> None:
    for name in "abcde":
        new_queue(team, name=name)


def names(page: dict[str, list[dict[str, str]]]) -> str:
    return "".join(queue["queue_name"] for queue in page["results"])


def cursor(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.usefixtures("five")
def test_it_leads_from_page_to_page_and_back(owner: Caller) -> None:
    first = owner.get("/api/queues", page_size=2).json()
    second = owner.get(first["next"]).json()
    third = owner.get(second["next"]).json()
    assert [names(page) for page in (first, second, third)] == ["ab", "cd", "e"]
    assert (first["previous"], third["next"]) == (None, None)
    assert owner.get(third["previous"]).json() == second
    assert owner.get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.usefixtures("five")
def test_it_has_no_page_before_the_first(owner: Caller) -> None:
    second = owner.get(owner.get("/api/queues", page_size=2).json()["next"]).json()
    first = owner.get(second["previous"]).json()
    assert first["previous"] is None
    assert names(owner.get(first["next"]).json()) == "cd"


@pytest.mark.usefixtures("five")
def test_it_has_no_next_page_when_the_last_is_full(owner: Caller) -> None:
    assert owner.get("/api/queues", page_size=5).json()["next"] is None


@pytest.mark.usefixtures("five")
def test_it_skips_and_repeats_nothing_when_the_list_changes(owner: Caller, team: Team) -> None:
    first = owner.get("/api/queues", page_size=2).json()
    Queue.objects.filter(name="a").delete()
    new_queue(team, name="f")
    second = owner.get(first["next"]).json()
    assert names(second) == "cd"


@pytest.mark.usefixtures("five")
def test_it_keeps_the_filters(owner: Caller) -> None:
    page = owner.get("/api/queues", page_size=1, is_dlq="false").json()
    assert "is_dlq=false" in page["next"]
    assert "page_size=1" in page["next"]


def test_it_leads_through_messages_too(owner: Caller, queue: Queue, messages: str) -> None:
    ready_messages(queue, "a", "b", "c")
    first = owner.get(f"{messages}/browse", page_size=2).json()
    second = owner.get(first["next"]).json()
    assert [message["data"] for message in first["results"] + second["results"]] == ["a", "b", "c"]
    assert owner.get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.parametrize("size", ["0", "201", "-1", "x", "", "1.0", "1e2", " 1", "٣", "9" * 30])
def test_it_refuses_a_page_size_out_of_range(owner: Caller, size: str) -> None:
    assert_problem(owner.get("/api/queues", page_size=size), 400, "invalid_request", "page_size")


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "x",
        "ü",
        "\x00",
        "====",
        "A" * 300,
        *map(cursor, ["", ">", "1", ">x", ">1.5", ">-", "> 1", ">\uff11", "?1"]),
    ],
)
def test_it_refuses_a_garbage_cursor(owner: Caller, messages: str, garbage: str) -> None:
    for path in ("/api/queues", f"{messages}/browse"):
        assert_problem(owner.get(path, cursor=garbage), 400, "invalid_request", "cursor")


def test_it_refuses_the_cursor_of_another_list(owner: Caller, messages: str) -> None:
    response = owner.get(f"{messages}/browse", cursor=cursor(">1"))
    assert_problem(response, 400, "invalid_request", "cursor")


def test_it_survives_a_cursor_beyond_every_row(owner: Caller, queue: Queue) -> None:
    for key in (">99999999999999999999999", "<-99999999999999999999999"):
        assert owner.get("/api/queues", cursor=cursor(key)).json()["results"] == []
