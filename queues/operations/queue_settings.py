"""The settings of a queue: what they may be, alone and together."""

from typing import Any

from queues import limits
from queues.errors import Invalid, noting, raise_all
from queues.models import Mode, Queue, Team
from queues.operations import backoff

RANGES = {
    "queue_size": limits.QUEUE_SIZE,
    "visibility_timeout": limits.VISIBILITY_TIMEOUT,
    "max_deliveries": limits.MAX_DELIVERIES,
    "delay_seconds": limits.DELAY_SECONDS,
    "retention_seconds": limits.RETENTION_SECONDS,
    "max_message_bytes": limits.MESSAGE_BYTES,
    "receive_wait_seconds": limits.WAIT_SECONDS,
    "priority_aging_seconds": limits.PRIORITY_AGING_SECONDS,
    "target_age_seconds": limits.TARGET_AGE_SECONDS,
}
NULLABLE = {"queue_size", "max_deliveries", "backoff", "priority_aging_seconds", "target_age_seconds", "dlq"}
FIXED = {"name", "mode"}
CHANGEABLE = {*RANGES, "backoff", "allow_edit", "tags", "description", "dlq"}


def new_queue(team: Team, name: str, settings: dict[str, Any]) -> Queue:
    """An unsaved queue with these settings, all verified; what is not given has its default."""
    queue = Queue(team=team, name=name)
    problems: list[Invalid] = []
    with noting(problems):
        limits.verify_queue_name(name)
    with noting(problems):
        queue.mode = _verified_mode(settings.pop("mode", Mode.STANDARD))
    with noting(problems):
        apply(queue, settings)
    raise_all(problems)
    return queue


def apply(queue: Queue, changes: dict[str, Any]) -> None:
    """Put verified changes onto a queue; nothing is saved. Everything that is wrong is said at once."""
    problems: list[Invalid] = []
    for field, value in changes.items():
        with noting(problems):
            setattr(queue, field, _verified(queue, field, value))
    if not problems and queue.delay_seconds >= queue.retention_seconds:
        problems.append(Invalid("Must be less than retention_seconds.", field="delay_seconds"))
    if queue.is_fifo and queue.priority_aging_seconds is not None:
        problems.append(Invalid("A FIFO queue knows no priorities.", field="priority_aging_seconds"))
    raise_all(problems)
    queue.ranks_by_time = queue.ranks_by_time or queue.priority_aging_seconds is not None


def modes() -> list[Mode]:
    """Those a queue can be made in: a form offers no other."""
    return [mode for mode in Mode if _is_accepted(mode)]


def readable(queue: Queue) -> dict[str, Any]:
    """Every setting by its name, as plain values: what a person is shown and the audit keeps."""
    plain = {field: getattr(queue, field) for field in sorted(CHANGEABLE - {"dlq"})}
    return {**plain, "dlq": queue.dlq.name if queue.dlq else None}


def chosen(queue: Queue) -> dict[str, Any]:
    """The settings that are not what every queue begins with; a dead-letter queue made for it is none."""
    usual = readable(Queue())
    found = {name: value for name, value in readable(queue).items() if value != usual[name]}
    if queue.dlq_is_lazy:
        found.pop("dlq", None)
    return {"mode": queue.mode, **found} if queue.mode != Mode.STANDARD else found


def same(one: Queue, other: Queue) -> bool:
    """Whether a queue is what another request for it would make. A lazily made DLQ is no setting."""
    plain = CHANGEABLE - {"dlq"} | FIXED
    own_dlq = None if one.dlq_is_lazy else one.dlq_id
    return own_dlq == other.dlq_id and all(getattr(one, field) == getattr(other, field) for field in plain)


def _verified_mode(mode: str) -> str:
    if mode not in Mode.values:
        raise Invalid(f"Must be one of {', '.join(Mode.values)}.", field="mode")
    return mode


def _is_accepted(mode: Mode) -> bool:
    try:
        _verified_mode(mode)
    except Invalid:
        return False
    return True


def _verified(queue: Queue, field: str, value: Any) -> Any:
    if field not in CHANGEABLE:
        raise Invalid("This setting cannot be changed.", field=field)
    if value is None:
        return _verified_none(field)
    if field in RANGES:
        return limits.verify_range(field, value, RANGES[field])
    if field == "backoff":
        return backoff.verified(value)
    if field == "allow_edit":
        return _verified_flag(field, value)
    if field == "tags":
        return limits.verify_tags(value)
    if field == "dlq":
        return _verified_dlq(queue, value)
    return limits.verify_length(field, value, limits.DESCRIPTION_LENGTH)


def _verified_none(field: str) -> None:
    if field not in NULLABLE:
        raise Invalid("Must not be null.", field=field)


def _verified_flag(field: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise Invalid("Must be true or false.", field=field)
    return value


def _verified_dlq(queue: Queue, dlq: Queue) -> Queue:
    if dlq.pk == queue.pk:
        raise Invalid("A queue cannot be its own dead-letter queue.", field="dlq_id")
    if dlq.team_id != queue.team_id or dlq.deleted_at is not None:
        raise Invalid("There is no such queue.", field="dlq_id")
    if dlq.mode != queue.mode:
        raise Invalid(f"Must be a {queue.mode} queue, as this one is.", field="dlq_id")
    if dlq.dlq_id is not None:
        raise Invalid("That queue has a dead-letter queue itself.", field="dlq_id")
    if queue.is_dlq:
        raise Invalid("This queue is a dead-letter queue: it cannot have one itself.", field="dlq_id")
    return dlq
