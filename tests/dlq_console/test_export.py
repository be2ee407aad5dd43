"""Dead letters as a file: all that matches, masked, harmless to spreadsheets, and with an honest end."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dlq_console.views import export as views
from queues import limits
from queues.errors import SearchTooSlow
from queues.models import Action, AuditEntry, Message, Queue
from queues.operations import search
from tests.dlq_console.letters import died
from tests.factories import reloaded

pytestmark = pytest.mark.django_db


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    died(queue, '{"order": 42, "password": "s3cret"}')
    return reloaded(queue).dlq


def exported(client: Client, dlq: Queue, **fields: str) -> Any:
    return client.post(reverse("console:export", args=[dlq.public_id]), fields)


def lines(client: Client, dlq: Queue, **fields: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(client, dlq, **fields).getvalue().splitlines()]


def table(client: Client, dlq: Queue, **fields: str) -> list[dict[str, str]]:
    text = exported(client, dlq, format="csv", **fields).getvalue().decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_it_is_a_line_of_json_for_each_letter_by_default(operator, queue, dlq):
    died(queue, "two", "ValueError", "no number")
    answer = exported(operator, dlq)
    assert answer["Content-Type"] == "application/x-ndjson"
    assert answer["Content-Disposition"] == 'attachment; filename="orders-dlq.jsonl"'
    assert answer.streaming
    first, second = (json.loads(line) for line in answer.getvalue().splitlines())
    assert (second["data"], second["error_type"], second["error_message"]) == (
        "two",
        "ValueError",
        "no number",
    )
    assert first["message_id"] < second["message_id"]


def test_it_takes_what_the_search_finds(operator, queue, dlq):
    died(queue, "needle")
    assert [line["data"] for line in lines(operator, dlq, q="needle")] == ["needle"]


def test_it_goes_on_over_many_pages(operator, queue, dlq, monkeypatch):
    monkeypatch.setattr(views, "AT_ONCE", 2)
    for number in range(4):
        died(queue, f"body {number}")
    assert len({line["message_id"] for line in lines(operator, dlq)}) == 5


@pytest.mark.parametrize("read", [lines, table])
def test_it_masks_body_and_attributes(operator, dlq, read):
    Message.objects.update(attributes={"tenant": "acme", "Authorization": "Bearer t0ken"})
    [record] = read(operator, dlq)
    assert "acme" in str(record["attributes"])
    assert "s3cret" not in str(record)
    assert "t0ken" not in str(record)


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff20"])
def test_a_spreadsheet_finds_no_formula(operator, queue, begin):
    died(queue, f'{begin}HYPERLINK("evil")', f"{begin}cmd", f"{begin}cmd")
    [row] = table(operator, reloaded(queue).dlq)
    for name in ("data", "error_type", "error_message"):
        assert row[name].startswith(f"'{begin}")


def test_every_body_comes_through(operator, queue):
    bodies = ['{"a": "\\ud800"}', 'quote " comma , line\nbreak', "ü" * 100, ""]
    for body in bodies:
        died(queue, body)
    dlq = reloaded(queue).dlq
    assert [line["data"] for line in lines(operator, dlq)] == bodies
    assert [row["data"] for row in table(operator, dlq)] == bodies


class TestEnd:
    """A file that is not whole says so in its last line."""

    def test_at_the_limit(self, operator, queue, dlq, monkeypatch):
        monkeypatch.setattr(limits, "EXPORT_MESSAGES", 2)
        for number in range(2):
            died(queue, f"body {number}")
        *records, end = lines(operator, dlq)
        assert len(records) == 2
        assert "An export ends after" in end["incomplete"]
        assert table(operator, dlq)[-1]["message_id"].startswith("incomplete: An export ends after")

    def test_not_when_everything_is_in_it(self, operator, dlq, monkeypatch):
        monkeypatch.setattr(limits, "EXPORT_MESSAGES", 1)
        assert "incomplete" not in lines(operator, dlq)[-1]

    def test_when_the_search_takes_too_long(self, operator, queue, dlq, monkeypatch):
        died(queue, "two")
        monkeypatch.setattr(views, "AT_ONCE", 1)
        find = search.find

        def slow_after_the_first(*args: Any, after: str | None, **kwargs: Any) -> Any:
            if after:
                raise SearchTooSlow()
            return find(*args, after=after, **kwargs)

        monkeypatch.setattr(search, "find", slow_after_the_first)
        first, end = lines(operator, dlq)
        assert "message_id" in first
        assert "stopped after 3 seconds" in end["incomplete"]

    def test_who_hangs_up_ends_it(self, operator, queue, dlq, monkeypatch):
        monkeypatch.setattr(views, "AT_ONCE", 1)
        for number in range(3):
            died(queue, f"body {number}")
        reads = []
        find = search.find
        monkeypatch.setattr(search, "find", lambda *a, **k: reads.append(1) or find(*a, **k))
        answer = exported(operator, dlq)
        next(iter(answer.streaming_content))
        answer.close()
        assert len(reads) == 1


def test_it_is_noted_with_the_search_and_the_format(operator, dlq):
    exported(operator, dlq, q="order", format="csv").getvalue()
    entry = AuditEntry.objects.get()
    assert entry.action == Action.MESSAGES_EXPORTED
    assert entry.detail == {"search": "order", "format": "csv"}


def test_what_is_not_understood_exports_nothing(operator, dlq):
    answer = operator.post(reverse("console:export", args=[dlq.public_id]), {"q": "colour:red"}, follow=True)
    assert "Nothing was exported. colour:red: There is no such qualifier" in answer.text
    assert not AuditEntry.objects.exists()


def test_an_unknown_format_is_json(operator, dlq):
    assert exported(operator, dlq, format="exe")["Content-Type"] == "application/x-ndjson"


def test_it_is_kept_nowhere_and_guessed_at_by_nobody(operator, dlq):
    answer = exported(operator, dlq)
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_only_who_may_and_only_by_post(viewer, stranger, operator, dlq):
    assert exported(viewer, dlq).status_code == 403
    assert exported(stranger, dlq).status_code == 404
    assert operator.get(reverse("console:export", args=[dlq.public_id])).status_code == 405
