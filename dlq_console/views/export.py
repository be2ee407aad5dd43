"""Dead letters as a file: what the search finds, streamed page by page, masked, noted in the audit."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from dlq_console import masking
from dlq_console.access import person, with_queue
from dlq_console.exact_json import printable
from dlq_console.returning import after_post, back_to
from queues import limits
from queues.errors import SearchTooSlow
from queues.models import Action, Message, Queue
from queues.operations import audit, search
from queues.rights import Right

COLUMNS = (
    "message_id data attributes group_id priority delivery_count enqueued_at dead_lettered_at "
    "dead_letter_reason error_type error_message fingerprint redrive_count"
).split()
# What a spreadsheet takes for the beginning of a formula; the full-width = + - @ are read as the narrow.
FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
# A page is held in memory with its bodies, so it is small; between pages nothing is.
AT_ONCE = 50
TOO_MANY = f"An export ends after {limits.EXPORT_MESSAGES:,} messages: narrow the search for the others."


class Cut(Exception):
    """The file ends before everything that matches is in it; the message says why."""


@require_POST
@with_queue(Right.EXPORT)
def export(request: HttpRequest, queue: Queue) -> HttpResponseBase:
    kind = request.POST.get("format") if request.POST.get("format") in WRITERS else "jsonl"
    found = search.parse(request.POST.get("q", ""))
    if found.problems:  # or the file would be empty, as if nothing matched
        messages.error(request, f"Nothing was exported. {'; '.join(found.problems)}")
        return after_post(back_to(request, reverse("console:dead-letters", args=[queue.public_id])))
    with audit.audited(
        person(request), Action.MESSAGES_EXPORTED, queue=queue, search=found.text, format=kind
    ):
        content_type, write = WRITERS[str(kind)]
        lines = write(_records(queue, found))
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{queue.name}.{kind}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _jsonl(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    try:
        for record in records:
            yield json.dumps(record, ensure_ascii=True) + "\n"
    except Cut as why:
        yield json.dumps({"incomplete": str(why)}) + "\n"


def _csv(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield _line(COLUMNS)
    try:
        for record in records:
            record["attributes"] = json.dumps(record["attributes"])
            yield _line([_harmless(record[name]) for name in COLUMNS])
    except Cut as why:
        yield _line([f"incomplete: {why}"])


def _records(queue: Queue, found: search.Search) -> Iterator[dict[str, Any]]:
    for number, message in enumerate(_messages(queue, found)):
        if number == limits.EXPORT_MESSAGES:
            raise Cut(TOO_MANY)
        yield _record(message)


def _messages(queue: Queue, found: search.Search) -> Iterator[Message]:
    """Page by page, so that neither memory nor a snapshot grows with the queue. Who hangs up ends it."""
    after = None
    while True:
        try:
            page = search.find(queue, found, dead_only=queue.is_dlq, after=after, size=AT_ONCE)
        except SearchTooSlow as error:  # the file has begun: it is too late for an error page
            raise Cut(error.message) from None
        yield from page.rows
        if page.next is None:
            return
        after = page.next


def _record(message: Message) -> dict[str, Any]:
    return {
        "message_id": message.public_id,
        "data": masking.masked_text(message.data),
        "attributes": masking.masked(message.attributes or {})[0],
        "group_id": message.group_id,
        "priority": message.priority,
        "delivery_count": message.delivery_count,
        "enqueued_at": message.enqueued_at.isoformat(),
        "dead_lettered_at": message.dead_lettered_at.isoformat() if message.dead_lettered_at else None,
        "dead_letter_reason": message.dead_letter_reason,
        "error_type": message.error_type,
        "error_message": (message.last_error or {}).get("message"),
        "fingerprint": message.fingerprint,
        "redrive_count": message.redrive_count,
    }


def _harmless(value: Any) -> Any:
    """A spreadsheet runs what begins like a formula: an apostrophe makes it text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _line(values: Iterable[Any]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(values)
    return printable(out.getvalue())


Writer = Callable[[Iterable[dict[str, Any]]], Iterator[str]]
WRITERS: dict[str, tuple[str, Writer]] = {
    "jsonl": ("application/x-ndjson", _jsonl),
    "csv": ("text/csv; charset=utf-8", _csv),
}
