"""Prometheus metrics of the job that computes history: what its last run did, and how far behind it is."""

from collections.abc import Iterator

from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from queues.operations import metrics

LABELS = ("bucket",)


class JobGauges(Collector):
    """Nothing at all where the job has never run: whoever does not use it is not to be alarmed."""

    def collect(self) -> Iterator[Metric]:
        lag = _gauge("lag_seconds", "How far the computed history is behind.")
        seconds = _gauge("run_seconds", "How long the last run that succeeded took.")
        read = _gauge("run_stays", "Stays of messages it read.")
        written = _gauge("run_rows", "Rows it wrote.")
        failing = _gauge("failing", "1 when the last run that ended has failed.")
        now = timezone.now()
        for state in metrics.job_states():
            label = (str(state.bucket_seconds),)
            failing.add_metric(label, float(state.is_failing))
            if state.computed_until is not None:
                lag.add_metric(label, (now - state.computed_until).total_seconds())
            if (run := state.succeeded) is not None and run.finished_at is not None:
                seconds.add_metric(label, (run.finished_at - run.started_at).total_seconds())
                read.add_metric(label, run.stays_read or 0)
                written.add_metric(label, run.rows_written or 0)
        yield from (family for family in (lag, seconds, read, written, failing) if family.samples)


def _gauge(name: str, text: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"simplemq_metrics_job_{name}", text, labels=LABELS)
