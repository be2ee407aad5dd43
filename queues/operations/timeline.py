"""The life of a message so far: sent, leased, failed, moved, edited. Its row keeps its last events."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.utils import timezone

from queues import ids
from queues.models import ApiKey, Message, Queue, State

MOVES = ("dead_lettered", "requeued", "requeue_undone", "redriven", "redrive_undone")
LINKS = {"edited": "Edited from", "replaced": "Replaced by"}
DETAILS = {"lease_expired": "Nobody acknowledged it in time.", "released": "Given back unharmed."}


class Entry(NamedTuple):
    at: datetime
    event: str
    detail: str | None = None
    by: str | None = None


def timeline(message: Message, now: datetime | None = None) -> list[Entry]:
    """What happened to the message, oldest first; `by` is the name of an API key or of a person."""
    kept = [*_history(message), *_current_lease(message, now or timezone.now())]
    keys, queues = _key_names(kept), _queue_names(kept)
    entries = {("sent", message.enqueued_at): Entry(message.enqueued_at, "sent")}
    for event in kept:
        by = keys.get(event.get("by"), event.get("requested_by") or None)
        for entry in (
            *_lease(event, by),
            Entry(_time(event["at"]), event["event"], _detail(event, queues), by),
        ):
            # A lease that was released and taken up again ends twice, but it began once.
            entries[entry.event, entry.at] = entry
    return sorted(entries.values(), key=lambda entry: entry.at)


def _history(message: Message) -> list[dict[str, Any]]:
    """Its kept events; should the death of a dead letter be so old that it is not among them, that too."""
    history = message.history or []
    if message.dead_lettered_at is None or any(event["event"] == "dead_lettered" for event in history):
        return history
    death = {"event": "dead_lettered", "at": message.dead_lettered_at, "reason": message.dead_letter_reason}
    return [{**death, "from": message.source_queue_id, "to": message.queue_id}, *history]


def _current_lease(message: Message, now: datetime) -> Iterator[dict[str, Any]]:
    """A lease is written into the history when it ends, so that a receive has less to write."""
    if message.state != State.LEASED:
        return
    lease = {"at": message.last_delivered_at, "by": message.leased_by, "until": message.visible_at}
    yield {"event": "leased", **lease}
    if message.visible_at <= now:
        yield {"event": "lease_expired", **lease, "at": message.visible_at}


def _lease(event: dict[str, Any], by: str | None) -> Iterator[Entry]:
    if event.get("leased_at"):
        yield Entry(_time(event["leased_at"]), "leased", None, by)


def _detail(event: dict[str, Any], queues: dict[int, str]) -> str | None:
    if event["event"] in MOVES:
        return _move(event, queues)
    if "error" in event:
        return ": ".join(event["error"][part] for part in ("type", "message") if part in event["error"])
    if event["event"] in LINKS:
        return f"{LINKS[event['event']]} {ids.message_id(UUID(event['message']))}."
    if event["event"] == "discarded":
        return event.get("reason")
    if event["event"] == "leased":
        return f"Until {event['until'].isoformat(timespec='seconds')}."
    return DETAILS.get(event["event"])


def _move(event: dict[str, Any], queues: dict[int, str]) -> str:
    source, target = (queues.get(event[end], "a deleted queue") for end in ("from", "to"))
    reason = f": {event['reason']}" if event.get("reason") else ""
    return f"From {source} to {target}{reason}."


def _key_names(events: Iterable[dict[str, Any]]) -> dict[int | None, str]:
    wanted = {event["by"] for event in events if event.get("by") is not None}
    return dict(ApiKey.objects.filter(pk__in=wanted).values_list("pk", "name")) if wanted else {}


def _queue_names(events: Iterable[dict[str, Any]]) -> dict[int, str]:
    wanted = {event[end] for event in events if event["event"] in MOVES for end in ("from", "to")}
    return dict(Queue.objects.filter(pk__in=wanted).values_list("pk", "name")) if wanted else {}


def _time(value: str | datetime) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value
