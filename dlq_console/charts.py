"""The charts of a queue: which series they draw, and what they say in words.

Those of the last hours are drawn from samples, those of days from what the Spark job has computed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from queues.durations import in_words, precisely
from queues.operations.samples import History, Series

LATENCY = "latency"  # seconds, of which the thousandth part counts

SPANS = {60: "1 hour", 360: "6 hours", 1_440: "24 hours"}
PER_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Line:
    name: str  # of the history's series
    label: str
    times: float = 1


@dataclass(frozen=True, slots=True)
class Kind:
    code: str
    title: str
    unit: str
    lines: tuple[Line, ...]


KINDS = (
    Kind("depth", "Messages in the queue", "count", (Line("depth", "Held"), Line("in_flight", "In flight"))),
    Kind("age", "Age of the oldest waiting message", "seconds", (Line("oldest_age", "Oldest"),)),
    Kind(
        "rates",
        "Messages per second",
        "rate",
        (
            Line("sent", "Sent"),
            Line("received", "Received"),
            Line("acked", "Finished"),
            Line("nacked", "Failed"),
        ),
    ),
    Kind(
        "dead",
        "Dead letters per minute",
        "rate",
        (Line("dead_lettered", "Died", PER_MINUTE),),
    ),
)


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart, as its table shows it and its script draws it."""

    kind: Kind
    at: list[datetime]
    series: list[Series]
    latest: str = "now"  # what the last point is called

    @property
    def rows(self) -> Iterator[tuple[datetime, list[str]]]:
        """Newest first, without the steps in which nobody looked."""
        for at, *values in reversed(list(zip(self.at, *self.series, strict=True))):
            if any(value is not None for value in values):
                yield at, [self.written(value) for value in values]

    @property
    def summary(self) -> str:
        """What somebody who cannot see the chart wants to know of it."""
        return "; ".join(
            self._summary_of(line, values) for line, values in zip(self.kind.lines, self.series, strict=True)
        )

    def written(self, value: float | None) -> str:
        if value is None:
            return "no data"
        if self.kind.unit == "seconds":
            return in_words(value)
        if self.kind.unit == LATENCY:
            return precisely(value)
        return f"{value:,.0f}" if self.kind.unit == "count" else f"{value:,.2f}"

    def _summary_of(self, line: Line, values: Series) -> str:
        known = [value for value in values if value is not None]
        if not known:
            return f"{line.label}: no data yet"
        return (
            f"{line.label}: {self.written(known[-1])} {self.latest}, {self.written(max(known))} at the most"
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """The charts of one span: all have the same points in time."""

    charts: list[Chart]
    at: list[datetime]
    step_seconds: int
    seen_at: datetime | None  # when the last of the figures were taken


def live(history: History) -> Drawn:
    """Of the samples of the last hours."""
    charts = [
        Chart(kind, history.at, [scaled(getattr(history, line.name), line.times) for line in kind.lines])
        for kind in KINDS
    ]
    return Drawn(charts, history.at, history.step_seconds, history.sampled_at)


def as_json(drawn: Drawn) -> dict[str, Any]:
    """What charts.js reads."""
    return {
        "sampled_at": drawn.seen_at,
        "step_seconds": drawn.step_seconds,
        "at": [int(at.timestamp()) for at in drawn.at],
        "charts": {
            chart.kind.code: {
                "unit": chart.kind.unit,
                "labels": [line.label for line in chart.kind.lines],
                "series": chart.series,
            }
            for chart in drawn.charts
        },
    }


def scaled(values: Series, times: float) -> Series:
    return [None if value is None else round(value * times, 3) for value in values]
