"""Which dead letters a redrive takes, and which of them stay all the same.

A filter is kept with its task as JSON, in the words of the caller, and read again for every batch.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import Case, CharField, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Now
from django.db.models.lookups import Exact
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from queues import ids, limits
from queues.errors import Invalid
from queues.managers import body
from queues.models import Message, Queue, State
from queues.operations.look import has_attribute

Filter = Mapping[str, Any]

LEASED = "leased"
TOO_OFTEN = "redriven_too_often"
SOURCE_DELETED = "source_deleted"
MOVES = "moves"

# What each key asks of a message. The first eight are the REST contract's; the others are a search's.
LOOKUPS = {
    "fingerprint": "fingerprint",
    "error_type": "error_type",
    "group_id": "group_id",
    "attribute": "attributes__contains",
    "dead_lettered_before": "dead_lettered_at__lt",
    "dead_lettered_after": "dead_lettered_at__gte",
    "message_ids": "id__in",
    "max_redrive_count": "redrive_count__lte",
    "min_redrive_count": "redrive_count__gte",
    "error": "error_type__icontains",
    "entered_before": "entered_at__lt",
    "entered_after": "entered_at__gte",
}


def verified(given: Filter) -> dict[str, Any]:
    """The filter as it is kept: every key known, every value within its limits. None means no such filter."""
    return {key: _verified(key, value) for key, value in given.items() if value is not None}


def matching(dlq: Queue, kept: Filter, cut_off: datetime) -> QuerySet[Message]:
    """The dead letters that were here by the cut-off and match. What was sent here never died: it stays."""
    dead = Message.objects.filter(queue_id=dlq.pk, dead_lettered_at__lte=cut_off).exclude(state=State.EXPIRED)
    return narrowed(dead, dlq.team_id, kept)


def narrowed(messages: QuerySet[Message], team_id: int | OuterRef, kept: Filter) -> QuerySet[Message]:
    """Those of a team's messages that match. A page shows what this finds, and a redrive takes it."""
    plain = {LOOKUPS[key]: _read(key, value) for key, value in kept.items() if key in LOOKUPS}
    messages = messages.filter(**plain)
    for text in kept.get("text", ()):
        messages = messages.filter(data__icontains=text)
    for path, text in kept.get("data", {}).items():
        messages = messages.filter(Exact(body.text_at(path.split(".")), Value(text)))
    for name, text in kept.get("attribute_text", {}).items():
        messages = messages.filter(has_attribute(name, text))
    if "source_queue" in kept:
        named = Queue.objects.filter(team_id=team_id, name=kept["source_queue"])
        messages = messages.filter(source_queue_id__in=named.values("pk"))
    return messages


def fate(kept: Filter, now: datetime | None, live_queues: QuerySet[Queue] | None = None) -> Case:
    """Whether a dead letter moves, or why it stays: somebody holds it, it comes back every time, or the
    queue it died in is none of the live ones."""
    reasons = [When(Q(state=State.LEASED, visible_at__gt=now or Now()), then=Value(LEASED))]
    if "max_redrive_count" not in kept:
        reasons.append(When(redrive_count__gte=limits.MOST_REDRIVES, then=Value(TOO_OFTEN)))
    if live_queues is not None:
        reasons.append(When(~Q(source_queue_id__in=live_queues.values("pk")), then=Value(SOURCE_DELETED)))
    return Case(*reasons, default=Value(MOVES), output_field=CharField())


def _verified(key: str, value: Any) -> Any:
    if key not in CHECKS:
        raise Invalid("Unknown field.", field=f"filter.{key}")
    try:
        return CHECKS[key](value)
    except Invalid as problem:
        raise Invalid(problem.message, field=f"filter.{key}") from None


def _text_up_to(longest: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise Invalid("Must be a string.")
        return limits.verify_length("filter", value, longest)

    return check


def _attributes(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise Invalid("Must be an object with at least one name and value.")
    return limits.verify_attributes(value)


def _moment(value: Any) -> str:
    """Kept as text, in UTC; a time without a zone is in UTC already."""
    try:
        moment = value if isinstance(value, datetime) else parse_datetime(str(value))
        if moment is not None:
            aware = moment if timezone.is_aware(moment) else timezone.make_aware(moment, UTC)
            return aware.astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        pass
    raise Invalid("Must be a time in ISO 8601, for example 2030-01-31T12:00:00Z.")


def _message_ids(value: Any) -> list[str]:
    if not isinstance(value, list) or not 1 <= len(value) <= limits.REDRIVE_MESSAGE_IDS:
        raise Invalid(f"Must be a list of 1 to {limits.REDRIVE_MESSAGE_IDS} message ids.")
    for text in value:
        if not isinstance(text, str) or ids.decode("msg", text) is None:
            raise Invalid(f"{str(text)[:40]!r} is not a message id.")
    return value


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not 1 <= len(value) <= limits.SEARCH_TERMS:
        raise Invalid(f"Must be a list of 1 to {limits.SEARCH_TERMS} texts.")
    return [_text_up_to(limits.SEARCH_TERM_LENGTH)(text) for text in value]


def _named_texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not 1 <= len(value) <= limits.SEARCH_TERMS:
        raise Invalid(f"Must be an object of 1 to {limits.SEARCH_TERMS} names and texts.")
    _texts(list(value))
    _texts(list(value.values()))
    return value


def _redrive_count(value: Any) -> int:
    if type(value) is not int:
        raise Invalid("Must be a whole number.")
    return limits.verify_range("filter", value, limits.REDRIVE_COUNT)


def _read(key: str, value: Any) -> Any:
    if key == "message_ids":
        return [ids.decode("msg", text) for text in value]
    return parse_datetime(value) if key in MOMENTS else value


MOMENTS = {"dead_lettered_before", "dead_lettered_after", "entered_before", "entered_after"}
CHECKS: dict[str, Callable[[Any], Any]] = {
    "fingerprint": _text_up_to(limits.FINGERPRINT_LENGTH),
    "error_type": _text_up_to(limits.ERROR_TYPE_LENGTH),
    "group_id": _text_up_to(limits.GROUP_ID_LENGTH),
    "attribute": _attributes,
    "dead_lettered_before": _moment,
    "dead_lettered_after": _moment,
    "message_ids": _message_ids,
    "max_redrive_count": _redrive_count,
    "min_redrive_count": _redrive_count,
    "error": _text_up_to(limits.ERROR_TYPE_LENGTH),
    "entered_before": _moment,
    "entered_after": _moment,
    "text": _texts,
    "data": _named_texts,
    "attribute_text": _named_texts,
    "source_queue": _text_up_to(limits.QUEUE_NAME_LENGTH),
}
