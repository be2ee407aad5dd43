"""The history of a queue as the Spark job has computed it: `manage.py run_metrics`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.contrib.postgres.aggregates import BoolOr
from django.db.models import QuerySet, Sum
from django.utils import timezone

from queues import limits
from queues.errors import Invalid
from queues.models import (
    DlqErrorMetrics,
    MetricsRun,
    MetricsWatermark,
    Queue,
    QueueGroupMetrics,
    QueueMetrics,
    RunStatus,
)

DEFAULT_SPAN = timedelta(days=1)
MOST_GROUPS = 20
TREND_BUCKET = 3_600
TREND_SPAN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """Whole buckets: from the one that holds `since` up to, not including, `until`."""

    since: datetime
    until: datetime
    bucket_seconds: int


@dataclass(frozen=True, slots=True)
class GroupShare:
    """What a group (a tenant) had of a queue. A group that is not among a bucket's largest is not counted."""

    group_id: str
    sent: int
    acked: int
    dead_lettered: int
    sent_share: float  # of all that came into the queue, 0 to 1
    noisy: bool  # in some bucket at least


@dataclass(frozen=True, slots=True)
class Computed:
    """How far the job has got with buckets of one size, and when: what is shown is as old as that."""

    until: datetime | None
    at: datetime | None


@dataclass(frozen=True, slots=True)
class History:
    span: Span
    computed: Computed
    points: list[QueueMetrics]  # none for buckets in which the queue was empty and idle
    groups: list[GroupShare]  # the largest first


def history(
    queue: Queue,
    since: datetime | None = None,
    until: datetime | None = None,
    bucket_seconds: int | None = None,
    now: datetime | None = None,
) -> History:
    """What happened in a queue, the last day unless told otherwise, in buckets that suit the span."""
    span = _span(since, until, bucket_seconds, now or timezone.now())
    rows = _in(span, QueueMetrics.objects.filter(queue_id=queue.pk)).order_by("bucket_start")
    points = list(rows.defer("processing_sketch"))
    return History(span, _computed(span.bucket_seconds), points, _groups(queue, span, points))


def error_trends(
    dlq: Queue, fingerprints: Sequence[str], now: datetime | None = None
) -> dict[str, DlqErrorMetrics]:
    """Of each, the latest hour of the last day in which messages died of it, and how it compares."""
    recent = DlqErrorMetrics.objects.filter(
        queue_id=dlq.pk,
        bucket_seconds=TREND_BUCKET,
        bucket_start__gt=(now or timezone.now()) - TREND_SPAN,
        fingerprint__in=fingerprints,
    )
    latest = recent.order_by("fingerprint", "-bucket_start").distinct("fingerprint")
    return {row.fingerprint: row for row in latest}


def suiting_bucket(span: timedelta) -> int:
    """The finest buckets of which the span has no more than a chart can show."""
    fitting = (size for size in limits.METRIC_BUCKETS if span.total_seconds() <= size * limits.METRIC_POINTS)
    return next(fitting, limits.METRIC_BUCKETS[-1])


def _computed(bucket_seconds: int) -> Computed:
    mark = MetricsWatermark.objects.filter(bucket_seconds=bucket_seconds).first()
    runs = MetricsRun.objects.filter(bucket_seconds=bucket_seconds, status=RunStatus.SUCCEEDED)
    last = runs.order_by("-id").first()
    return Computed(mark.computed_until if mark else None, last.finished_at if last else None)


def _span(since: datetime | None, until: datetime | None, bucket_seconds: int | None, now: datetime) -> Span:
    if since and not until and since >= now:
        raise Invalid("Must be in the past.", field="from")
    until = until or now
    try:
        since = since or until - DEFAULT_SPAN
    except OverflowError:  # nothing is before the year 1
        raise Invalid("Must be later.", field="to") from None
    if since >= until:
        raise Invalid("Must be later than from.", field="to")
    bucket = bucket_seconds or suiting_bucket(until - since)
    if bucket not in limits.METRIC_BUCKETS:
        raise Invalid(f"Must be one of {', '.join(map(str, limits.METRIC_BUCKETS))}.", field="bucket")
    if (until - since).total_seconds() > bucket * limits.METRIC_POINTS:
        raise Invalid(
            f"Would be more than {limits.METRIC_POINTS} points: take larger buckets or a shorter span.",
            field="bucket",
        )
    return Span(_bucket_of(since, bucket), until, bucket)


def _bucket_of(moment: datetime, bucket_seconds: int) -> datetime:
    """Where the bucket begins that holds this moment: they are aligned to 1970."""
    return datetime.fromtimestamp(moment.timestamp() // bucket_seconds * bucket_seconds, UTC)


def _in(span: Span, rows: QuerySet) -> QuerySet:
    return rows.filter(
        bucket_seconds=span.bucket_seconds, bucket_start__gte=span.since, bucket_start__lt=span.until
    )


def _groups(queue: Queue, span: Span, points: Iterable[QueueMetrics]) -> list[GroupShare]:
    total = sum(point.sent for point in points)
    rows = _in(span, QueueGroupMetrics.objects.filter(queue_id=queue.pk)).values("group_id")
    sums = rows.annotate(
        all_sent=Sum("sent"),
        all_acked=Sum("acked"),
        all_dead=Sum("dead_lettered"),
        ever_noisy=BoolOr("noisy"),
    )
    return [
        GroupShare(
            group_id=row["group_id"],
            sent=row["all_sent"],
            acked=row["all_acked"],
            dead_lettered=row["all_dead"],
            sent_share=round(row["all_sent"] / total, 4) if total else 0.0,
            noisy=row["ever_noisy"],
        )
        for row in sums.order_by("-all_sent", "group_id")[:MOST_GROUPS]
    ]
