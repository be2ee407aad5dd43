"""How history looks from outside. Plain functions: through a serializer it took five times as long."""

from dataclasses import asdict
from typing import Any

from queues.api.answers import time
from queues.api.serializers.metrics import MetricsPoint, Percentiles
from queues.models import Queue, QueueMetrics
from queues.operations.metrics import History

FIGURES = ("queueing_delay", "processing", "end_to_end")
PLAIN = [name for name in MetricsPoint.Meta.fields if name not in ("bucket_start", *FIGURES)]
PERCENTILES = list(Percentiles().fields)


def metrics(queue: Queue, history: History) -> dict[str, Any]:
    return {
        "queue_id": queue.public_id,
        "from": time(history.span.since),
        "to": time(history.span.until),
        "bucket_seconds": history.span.bucket_seconds,
        "computed_until": time(history.computed.until),
        "computed_at": time(history.computed.at),
        "points": [_point(point) for point in history.points],
        "groups": [asdict(group) for group in history.groups],
    }


def _point(point: QueueMetrics) -> dict[str, Any]:
    return {
        "bucket_start": time(point.bucket_start),
        **{name: getattr(point, name) for name in PLAIN},
        **{figure: {name: getattr(point, f"{figure}_{name}") for name in PERCENTILES} for figure in FIGURES},
    }
