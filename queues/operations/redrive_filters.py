"""Which dead letters a redrive takes, and which of them stay all the same.

A filter is kept with its task as JSON, in the words of the caller, and read again for every batch.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import Case, CharField, Q, QuerySet, Value, When
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from queues import ids, limits
from queues.errors import Invalid
from queues.models import Message, Queue, State

Filter = Mapping[str, Any]

LEASED = "leased"
TOO_OFTEN = "redriven_too_often"
SOURCE_DELETED = "source_deleted"
MOVES = "moves"

LOOKUPS = {
    "fingerprint": "fingerprint",
    "error_type": "error_type",
    "group_id": "group_id",
    "attribute": "attributes__contains",
    "dead_lettered_before": "dead_lettered_at__lt",
    "dead_lettered_after": "dead_lettered_at__gte",
    "message_ids": "id__in",
    "max_redrive_count": "redrive_count__lte",
}


def verified(given: Filter) -> dict[str, Any]:
    """The filter as it is kept: every key known, every value within its limits. None means no such filter."""
    return {key: _verified(key, value) for key, value in given.items() if value is not None}


def matching(dlq: Queue, kept: Filter, cut_off: datetime) -> QuerySet[Message]:
    """The dead letters that were here by the cut-off and match. What was sent here never died: it stays."""
    dead = Message.objects.filter(queue_id=dlq.pk, dead_lettered_at__lte=cut_off).exclude(state=State.EXPIRED)
    return dead.filter(**{LOOKUPS[key]: _read(key, value) for key, value in kept.items()})


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


def _redrive_count(value: Any) -> int:
    if type(value) is not int:
        raise Invalid("Must be a whole number.")
    return limits.verify_range("filter", value, limits.REDRIVE_COUNT)


def _read(key: str, value: Any) -> Any:
    if key == "message_ids":
        return [ids.decode("msg", text) for text in value]
    return parse_datetime(value) if key.startswith("dead_lettered_") else value


CHECKS: dict[str, Callable[[Any], Any]] = {
    "fingerprint": _text_up_to(limits.FINGERPRINT_LENGTH),
    "error_type": _text_up_to(limits.ERROR_TYPE_LENGTH),
    "group_id": _text_up_to(limits.GROUP_ID_LENGTH),
    "attribute": _attributes,
    "dead_lettered_before": _moment,
    "dead_lettered_after": _moment,
    "message_ids": _message_ids,
    "max_redrive_count": _redrive_count,
}
