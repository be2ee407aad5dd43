"""Prometheus metrics: counters fed by the engine's facts, gauges read when they are asked for."""

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.utils import timezone
from prometheus_client import Counter
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from queues.limits import EXACT_COUNT
from queues.maintenance import log_partitions
from queues.models import BUCKET_SECONDS, MetricsRun, MetricsWatermark, Queue, RunStatus

LABELS = ("team", "queue")
SENT = Counter("simplemq_enqueue", "Messages offered to a queue.", [*LABELS, "outcome"])
RECEIVED = Counter("simplemq_dequeue", "Receive calls answered.", [*LABELS, "outcome"])
DELIVERED = Counter("simplemq_delivered", "Messages handed to consumers.", LABELS)
FINISHED = Counter("simplemq_finished", "Messages that ended in a queue.", [*LABELS, "outcome"])
NACKED = Counter("simplemq_nacked", "Messages that consumers gave back as failed.", LABELS)
MOVED = Counter("simplemq_moved", "Messages that left a queue for another.", [*LABELS, "outcome"])


def count(event: str, facts: dict[str, Any]) -> None:
    """Turn one fact of the engine into counters."""
    if event not in _COUNTERS:
        return
    queue: Queue = facts["queue"]
    _COUNTERS[event]((queue.team.name, queue.name), facts)


def _received(labels: tuple[str, str], facts: dict[str, Any]) -> None:
    RECEIVED.labels(*labels, "success" if facts["count"] else "empty").inc()
    DELIVERED.labels(*labels).inc(facts["count"])


_COUNTERS: dict[str, Callable[[tuple[str, str], dict[str, Any]], None]] = {
    "message.sent": lambda labels, facts: SENT.labels(*labels, "success").inc(facts["count"]),
    "send.refused": lambda labels, facts: SENT.labels(*labels, facts["reason"]).inc(facts["count"]),
    "message.received": _received,
    "message.nacked": lambda labels, facts: NACKED.labels(*labels).inc(facts["count"]),
    "message.finished": lambda labels, facts: FINISHED.labels(*labels, facts["outcome"]).inc(facts["count"]),
    "message.moved_out": lambda labels, facts: MOVED.labels(*labels, facts["outcome"]).inc(facts["count"]),
}


class QueueGauges(Collector):
    """Saturation of every queue, read from the tables when scraped; counts stop at a bound."""

    def collect(self) -> Iterator[Metric]:
        depth = GaugeMetricFamily(
            "simplemq_queue_depth", f"Messages held, at most {EXACT_COUNT}.", labels=LABELS
        )
        leased = GaugeMetricFamily("simplemq_queue_inflight", "Messages leased to consumers.", labels=LABELS)
        age = GaugeMetricFamily(
            "simplemq_queue_oldest_message_age_seconds", "Age of the next message to deliver.", labels=LABELS
        )
        for row in Queue.objects.gauges(EXACT_COUNT):
            depth.add_metric((row.team, row.queue), row.depth)
            leased.add_metric((row.team, row.queue), row.leased)
            age.add_metric((row.team, row.queue), float(row.oldest_age or 0))
        yield from (depth, leased, age)


JOB_FIGURES: dict[str, tuple[str, Callable[[Any], float]]] = {
    "success": ("Whether the last run succeeded.", lambda run: run.status == RunStatus.SUCCEEDED),
    "seconds": ("How long it took.", lambda run: (run.finished_at - run.started_at).total_seconds()),
    "stays": ("Stays of messages it read.", lambda run: run.stays_read or 0),
    "rows": ("Rows it wrote.", lambda run: run.rows_written or 0),
}


class MetricsJobGauges(Collector):
    """How the Spark job is doing, by what it noted down, for each size of bucket."""

    def collect(self) -> Iterator[Metric]:
        lag = GaugeMetricFamily(
            "simplemq_metrics_job_lag_seconds", "Age of what is computed last.", labels=["bucket_seconds"]
        )
        for watermark in MetricsWatermark.objects.order_by("bucket_seconds"):
            age = timezone.now() - watermark.computed_until
            lag.add_metric([str(watermark.bucket_seconds)], age.total_seconds())
        yield lag
        runs = [run for size in BUCKET_SECONDS if (run := _last_run(size))]
        for name, (words, figure) in JOB_FIGURES.items():
            family = GaugeMetricFamily(
                f"simplemq_metrics_job_last_run_{name}", words, labels=["bucket_seconds"]
            )
            for run in runs:
                family.add_metric([str(run.bucket_seconds)], figure(run))
            yield family
        if settings.SIMPLEMQ_LAKE:
            overdue = log_partitions.overdue(timezone.now().date())
            yield GaugeMetricFamily(
                "simplemq_log_days_overdue", "Days of the log kept until they are in the lake.", len(overdue)
            )


def _last_run(bucket_seconds: int) -> MetricsRun | None:
    """One that is still under way has no figures yet."""
    runs = MetricsRun.objects.filter(bucket_seconds=bucket_seconds, finished_at__isnull=False)
    return runs.order_by("-id").first()
