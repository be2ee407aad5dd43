"""Dead letters as a file: what the search finds, streamed page by page, masked, noted in the audit."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_POST

from dlq_console import payload
from dlq_console.access import person, with_queue
from queues import limits
from queues.models import Action, Message, Queue
from queues.operations import audit, search
from queues.rights import Right

COLUMNS = (
    "message_id data attributes group_id priority delivery_count enqueued_at dead_lettered_at "
    "dead_letter_reason error_type error_message fingerprint redrive_count"
).split()
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@require_POST
@with_queue(Right.EXPORT)
def export(request: HttpRequest, queue: Queue) -> HttpResponseBase:
    kind = "csv" if request.POST.get("format") == "csv" else "jsonl"
    found = search.parse(request.POST.get("q", ""))
    with audit.audited(
        person(request), Action.MESSAGES_EXPORTED, queue=queue, search=found.text, format=kind
    ):
        lines = _csv(queue, found) if kind == "csv" else _jsonl(queue, found)
    content_type = "text/csv; charset=utf-8" if kind == "csv" else "application/x-ndjson"
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{queue.name}.{kind}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _jsonl(queue: Queue, found: search.Search) -> Iterator[str]:
    for message in _messages(queue, found):
        yield json.dumps(_record(message), ensure_ascii=True) + "\n"


def _csv(queue: Queue, found: search.Search) -> Iterator[str]:
    yield _line(COLUMNS)
    for message in _messages(queue, found):
        record = _record(message)
        record["attributes"] = json.dumps(record["attributes"])
        yield _line([_harmless(record[name]) for name in COLUMNS])


def _messages(queue: Queue, found: search.Search) -> Iterator[Message]:
    """Page by page, so that neither memory nor a snapshot grows with the queue."""
    after = None
    while True:
        page = search.find(queue, found, dead_only=queue.is_dlq, after=after, size=limits.MAX_PAGE_SIZE)
        yield from page.rows
        if page.next is None:
            return
        after = page.next


def _record(message: Message) -> dict[str, Any]:
    return {
        "message_id": message.public_id,
        "data": payload.masked_text(message.data),
        "attributes": message.attributes or {},
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


def _line(values: Any) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(values)
    return payload.printable(out.getvalue())
