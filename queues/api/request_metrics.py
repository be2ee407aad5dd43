"""How long requests take, and how they end. One histogram: its counts are the request rates."""

import os

from django.http import HttpRequest, HttpResponseBase
from prometheus_client import REGISTRY, CollectorRegistry, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

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
    """The figures of this process, or of all worker processes together where they share a directory."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
