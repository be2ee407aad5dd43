"""How long requests take, and how they end. One histogram: its counts are the request rates."""

import logging
import os

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponseBase
from prometheus_client import REGISTRY, CollectorRegistry, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from queues.metrics import MetricsJobGauges, QueueGauges

logger = logging.getLogger(__name__)

METHODS = ("GET", "POST", "PATCH", "DELETE", "HEAD")
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
LABELS = ("method", "route", "status")

HISTOGRAM = Histogram("simplemq_http_request_seconds", "Time to answer a request.", LABELS, buckets=SECONDS)


def observe(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    # Only words of ours become labels: whoever could invent one could fill our memory with them.
    method = request.method if request.method in METHODS else "other"
    match = request.resolver_match
    route = (match.view_name or "unnamed") if match else "none"
    HISTOGRAM.labels(method, route, response.status_code).observe(seconds)


def exposition() -> bytes:
    """What was counted, by this process or by all that share a directory, and how full the queues are now."""
    return generate_latest(_counted()) + _queue_gauges()


def _counted() -> CollectorRegistry:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def _queue_gauges() -> bytes:
    """Nothing while the database is away: the rest is wanted then more than ever."""
    registry = CollectorRegistry()
    registry.register(QueueGauges())
    registry.register(MetricsJobGauges())
    try:
        return generate_latest(registry)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("no figures of the queues: %s", error)
        return b""
