"""Advice in plain words: what to change, the figures behind it, and how far it can be relied on."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from dlq_console.templatetags.console_text import NOTHING, percent
from queues.durations import precisely
from queues.models import AdviceKind, AdviceStatus, Confidence, QueueAdvice
from queues.operations.advice import Advice


class Wording(NamedTuple):
    """`{now}` is what was found, `{then}` what is suggested."""

    title: str
    unit: str
    fine: str
    change: str


WORDINGS = {
    AdviceKind.VISIBILITY_TIMEOUT: Wording(
        "Time to finish a message",
        "seconds",
        "Consumers have {now} to finish a message. That suits how long they take.",
        "Give consumers {then} to finish a message, instead of {now}.",
    ),
    AdviceKind.MAX_DELIVERIES: Wording(
        "Deliveries before a message is dead",
        "times",
        "A message is delivered {now}. That suits how often a retry helps.",
        "Deliver a message {then} before it is dead. Now: {now}.",
    ),
    AdviceKind.HIGH_WATER_MARK: Wording(
        "Messages it should hold",
        "messages",
        "It holds {now} at the most. That is what its consumers finish in time.",
        "Let it hold {then} at the most, instead of {now}. Further ones are then refused.",
    ),
    AdviceKind.WORKERS: Wording(
        "Consumers to keep up",
        "consumers",
        "Consumers keep up with what arrives. Busy on average: {now}.",
        "{then} would keep up with what arrives. Busy on average: {now}.",
    ),
    AdviceKind.DRAIN_WORKERS: Wording(
        "Consumers to drain what waits",
        "consumers",
        "What waits is drained within the target age. Busy on average: {now}.",
        "{then} would also drain what waits, within the target age. Busy on average: {now}.",
    ),
    AdviceKind.LEASE_EXPIRY: Wording(
        "Leases that run out",
        "share",
        "{now} of the deliveries ended because the time to finish was over. That is usual.",
        "{now} of the deliveries ended because the time to finish was over.",
    ),
    AdviceKind.RETENTION_RISK: Wording(
        "Age of the oldest message",
        "share",
        "The oldest message has used {now} of the time for which messages are kept.",
        "The oldest message has used {now} of the time for which messages are kept.",
    ),
    AdviceKind.EXPIRY_FORECAST: Wording(
        "How long a new message waits",
        "seconds",
        "A message that arrives now waits for about {now}.",
        "A message that arrives now waits for about {now}: it may expire before anybody takes it.",
    ),
}
STATUSES = {
    AdviceStatus.OK: ("badge-ok", "fine"),
    AdviceStatus.CHANGE: ("badge-info", "could be better"),
    AdviceStatus.WARNING: ("badge-warn", "warning"),
    AdviceStatus.CRITICAL: ("badge-bad", "critical"),
}
CONFIDENCES = {
    Confidence.LOW: "Low confidence: few messages, take it as a hint.",
    Confidence.MEDIUM: "Medium confidence: enough messages for an ordinary week.",
    Confidence.HIGH: "High confidence: many messages.",
}
# What the job calls its figures; see spark_jobs/transforms/advice.py
FIGURES = {
    "processing_p50": ("Half take no longer than", "seconds"),
    "processing_p99": ("99 % take no longer than", "seconds"),
    "processing_mean": ("Work on a message, on average", "seconds"),
    "six_times_median": ("Six times the half", "seconds"),
    "twice_p99": ("Twice the 99 %", "seconds"),
    "deliveries_needed": ("Deliveries that nearly all got by with", ""),
    "acked": ("Finished", ""),
    "dead_lettered": ("Died", ""),
    "expired": ("Expired", ""),
    "received": ("Deliveries", ""),
    "lease_expiries": ("Leases that ran out", ""),
    "depth": ("Messages in the queue", ""),
    "arrival_rate": ("Arrive in a second", ""),
    "peak_arrival_rate": ("Arrive in a second at the peak", ""),
    "drain_rate": ("Finished in a second", ""),
    "workers_at_peak": ("Consumers for the peak", ""),
    "visibility_timeout": ("Time to finish a message", "seconds"),
    "target_age_seconds": ("Target age", "seconds"),
    "oldest_age_seconds": ("Age of the oldest message", "seconds"),
    "retention_seconds": ("Messages are kept for", "seconds"),
    "seconds_until_messages_expire": ("Until messages begin to expire", "seconds"),
}
UNSET = {"times": "without an end", "messages": "any number of messages"}
MOST_FIGURES = 20


@dataclass(frozen=True, slots=True)
class Worded:
    advice: Advice
    title: str
    sentence: str
    badge: str
    status: str
    confidence: str
    figures: list[tuple[str, str]]
    suggested: str


def worded(advice: Advice) -> Worded:
    row = advice.found
    wording = WORDINGS[AdviceKind(row.kind)]
    badge, status = STATUSES[AdviceStatus(row.status)]
    now, then = in_unit(wording.unit, row.current_value), in_unit(wording.unit, row.suggested_value)
    template = wording.fine if row.status == AdviceStatus.OK else wording.change
    return Worded(
        advice=advice,
        title=wording.title,
        sentence=_lost(row) + template.format(now=now, then=then),
        badge=badge,
        status=status,
        confidence=CONFIDENCES[Confidence(row.confidence)],
        figures=[_figure(name, value) for name, value in _listed(row.figures)],
        suggested=in_unit(wording.unit, advice.suggested),
    )


def in_unit(unit: str, value: float | None) -> str:
    if value is None:
        return UNSET.get(unit, NOTHING)
    match unit:
        case "seconds":
            return precisely(value)
        case "share":
            return percent(value)
        case "times":
            return "once" if value == 1 else f"{value:,.0f} times"
    return f"{_number(value)} {unit[:-1] if value == 1 else unit}".strip()


def _listed(figures: Any) -> list[tuple[str, Any]]:
    return list(figures.items())[:MOST_FIGURES] if isinstance(figures, dict) else []


def _figure(name: str, value: Any) -> tuple[str, str]:
    label, unit = FIGURES.get(name, (name.replace("_", " "), ""))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return label, in_unit(unit, value) if is_number else NOTHING if value is None else str(value)


def _number(value: float) -> str:
    """No more digits than say something."""
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.3g}"


def _lost(row: QueueAdvice) -> str:
    expired = row.figures.get("expired") if isinstance(row.figures, dict) else None
    return f"Expired before anybody finished them: {expired:,.0f}. " if expired else ""
