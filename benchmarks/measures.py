"""What is said about many measurements of one thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True)
class Latency:
    """Milliseconds."""

    mean: float
    p50: float
    p95: float
    p99: float


def latency(milliseconds: Sequence[float]) -> Latency | None:
    """None when nothing was measured."""
    if not milliseconds:
        return None
    ordered = sorted(milliseconds)
    return Latency(
        fmean(ordered), _percentile(ordered, 50), _percentile(ordered, 95), _percentile(ordered, 99)
    )


def _percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that so many percent do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
