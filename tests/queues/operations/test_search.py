"""The search box: what it understands, what it says otherwise, and that hostile bodies cannot fail it."""

from datetime import timedelta

import pytest

from queues import limits
from queues.errors import SearchTooSlow
from queues.models import Message, Queue
from queues.operations import redrive, search
from tests.factories import NOW, after, dead_letter, new_queue, ready_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def queue() -> Queue:
    return new_queue(name="orders", max_deliveries=1)


def found(queue: Queue, text: str, **options) -> list[str]:
    parsed = search.parse(text, now=after(hours=1))
    assert parsed.problems == []
    return [row.data for row in search.find(queue, parsed, **options).rows]


def problems(text: str) -> list[str]:
    return search.parse(text).problems


def test_it_finds_words_and_phrases_in_any_case(queue):
    ready_message(queue, "Card DECLINED for order 42")
    ready_message(queue, "order 42 shipped")
    assert found(queue, "declined 42") == ["Card DECLINED for order 42"]
    assert found(queue, '"order 42"') == ["Card DECLINED for order 42", "order 42 shipped"]


def test_it_finds_by_attribute_whatever_its_type(queue):
    ready_message(queue, "text", attributes={"tenant": "acme"})
    ready_message(queue, "number", attributes={"tenant": 42})
    assert found(queue, "attribute.tenant:acme") == ["text"]
    assert found(queue, "attribute.tenant:42") == ["number"]


def test_it_finds_what_a_json_body_holds(queue):
    ready_message(queue, '{"order": {"id": 42}}')
    ready_message(queue, '{"order": {"id": "42"}}')
    ready_message(queue, '{"order": {"id": 43}}')
    assert found(queue, "data.order.id:42") == ['{"order": {"id": 42}}', '{"order": {"id": "42"}}']


@pytest.mark.parametrize(
    "hostile",
    [
        "no json",
        '{"id": "\\u0000"}',
        '{"id": "\\ud800"}',
        '{"id": 1e999999}',
        "[" * 100_000,
        '{"a":' * 20_000 + "1" + "}" * 20_000,
        '{"id": 1, "id": 42}',
        '{"id',
        "",
    ],
)
def test_no_body_can_make_it_fail(queue, hostile):
    ready_message(queue, hostile)
    ready_message(queue, '{"id": 42}')
    assert found(queue, "data.id:42") == ['{"id": 42}']


def test_it_finds_by_age(queue):
    ready_message(queue, "old", now=NOW)
    ready_message(queue, "young", now=after(minutes=50))
    assert found(queue, "age:>30m") == ["old"]
    assert found(queue, "age:<30m") == ["young"]


def test_it_finds_dead_letters_by_error_source_and_id(queue):
    dlq = dead_letter(queue, "poison")
    Message.objects.filter(queue_id=dlq.pk).update(error_type="TimeoutError")
    [letter] = Message.objects.filter(queue_id=dlq.pk)
    for text in ("error:timeout", "source:orders", f"id:{letter.public_id}", "redriven:0", "redriven:<1"):
        assert found(dlq, text) == ["poison"]
    for text in ("error:Value", "source:other", "redriven:>0", "redriven:3"):
        assert found(dlq, text) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("age:soon", "age:soon"),
        ("age:>99999999999d", "age"),
        ("age:>999999999d", "age"),
        ("colour:red", "colour:red"),
        ("id:nonsense", "message_ids"),
        ("redriven:often", "redriven:often"),
        ("x" * 201, "text"),
        ("nul\x00", "text"),
        ("\ud800", "text"),
        ("a " * 30, "text"),
    ],
)
def test_it_names_what_it_does_not_understand_and_finds_nothing(queue, text, named):
    [problem] = problems(text)
    assert problem.startswith(named)
    ready_message(queue, "hello")
    assert search.find(queue, search.parse(text)).rows == []


def test_it_pages_by_id_both_ways(queue):
    for number in range(5):
        ready_message(queue, f"m{number}")
    everything = search.parse("")
    first = search.find(queue, everything, size=2)
    second = search.find(queue, everything, size=2, after=first.next)
    third = search.find(queue, everything, size=2, after=second.next)
    assert [[row.data for row in page.rows] for page in (first, second, third)] == [
        ["m0", "m1"],
        ["m2", "m3"],
        ["m4"],
    ]
    assert (first.previous, third.next) == (None, None)
    again = search.find(queue, everything, size=2, before=third.previous)
    assert [row.data for row in again.rows] == ["m2", "m3"]


def test_a_redrive_takes_what_the_page_shows(queue):
    dead_letter(queue, '{"order": 1}')
    dlq = dead_letter(queue, '{"order": 2}')
    parsed = search.parse("data.order:2", now=NOW + timedelta(hours=1))
    assert len(search.find(dlq, parsed, dead_only=True).rows) == 1
    assert redrive.plan(dlq, filter=parsed.filter, now=after(hours=1)).movable == 1


def test_it_gives_up_after_a_while(queue, monkeypatch):
    monkeypatch.setattr(limits, "SEARCH_SECONDS", 0.001)
    for _ in range(30):
        ready_message(queue, "x" * 200_000)
    with pytest.raises(SearchTooSlow):
        search.find(queue, search.parse("nothing like this"))
