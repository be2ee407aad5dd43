"""The charts of days: history as the Spark job has computed it, as series without gaps."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone

from dlq_console.charts import LATENCY, Chart, Drawn, Kind, Line, scaled
from queues.models import Queue
from queues.operations import metrics
from queues.operations.metrics import History
from queues.operations.samples import Series


class Span(NamedTuple):
    title: str
    lasts: timedelta
    bucket_seconds: int


SPANS = {
    "1d": Span("1 day", timedelta(days=1), 300),
    "7d": Span("7 days", timedelta(days=7), 3_600),
}
# Where nothing was measured there is no such figure, not even 0.
PERCENTILES = ("_p50", "_p95", "_p99")


def history(queue: Queue, span: Span, now: datetime | None = None) -> History:
    now = now or timezone.now()
    return metrics.history(queue, now - span.lasts, now, span.bucket_seconds)


def drawn(queue: Queue, history: History) -> Drawn:
    step = history.span.bucket_seconds
    at = _buckets(history)
    charts = [
        Chart(
            kind,
            at,
            [scaled(_series(history, at, line.name), line.times) for line in kind.lines],
            latest="at the end",
        )
        for kind in _kinds(queue, step)
    ]
    return Drawn(charts, at, step, history.computed.at)


def _kinds(queue: Queue, step: int) -> list[Kind]:
    # What comes into a dead-letter queue has died elsewhere.
    died = Line("sent" if queue.is_dlq else "dead_lettered", "Died", 60 / step)
    rates = [
        Line(f"{name}_per_second", label)
        for name, label in (("sent", "Sent"), ("received", "Received"), ("acked", "Finished"))
    ]
    # Noted when the message ends, whenever it had failed.
    failed = Line("nacks", "Failed", 1 / step)
    return [
        Kind(
            "depth",
            "Messages in the queue",
            "count",
            (Line("depth_max", "Highest"), Line("depth_avg", "Average")),
        ),
        Kind("age", "Age of the oldest message", "seconds", (Line("oldest_age_max_seconds", "Oldest"),)),
        Kind(
            "rates",
            "Messages per second",
            "rate",
            (*rates, failed),
        ),
        Kind("dead", "Dead letters per minute", "rate", (died,)),
        _percentiles("delay", "Time until the first delivery", "queueing_delay"),
        _percentiles("processing", "Processing time", "processing"),
    ]


def _percentiles(code: str, title: str, figure: str) -> Kind:
    labels = ("_p50", "Half of them"), ("_p95", "95 %"), ("_p99", "99 %")
    return Kind(code, title, LATENCY, tuple(Line(f"{figure}{name}", label) for name, label in labels))


def _buckets(history: History) -> list[datetime]:
    span, step = history.span, timedelta(seconds=history.span.bucket_seconds)
    number = -((span.since - span.until) // step)  # the last one may be cut short
    return [span.since + step * place for place in range(number)]


def _series(history: History, at: list[datetime], name: str) -> Series:
    """A bucket without a point was empty and idle, as far as the job has got; beyond, nobody knows."""
    idle = None if name.endswith(PERCENTILES) else 0.0
    until = history.computed.until
    known: dict[datetime, float | None] = {start: idle for start in at if until and start < until}
    for point in history.points:
        value = getattr(point, name)
        known[point.bucket_start] = idle if value is None else value
    return [known.get(start) for start in at]
