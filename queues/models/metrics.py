"""The history of queues, written by the Spark job and by nobody else. See spark_jobs/README.md

A bucket is the time from bucket_start up to, not including, bucket_start + bucket_seconds. A queue that was
empty and idle all that time has no row for it; how far the job has got is in `metrics_watermark`.
"""

from django.db import models

BUCKET_SECONDS = (60, 300, 3600)


class QueueBucket(models.Model):
    """What every table about a queue and a bucket begins with."""

    team_id = models.BigIntegerField()
    queue_id = models.BigIntegerField()
    bucket_seconds = models.IntegerField()
    bucket_start = models.DateTimeField()
    run_id = models.BigIntegerField()  # the `metrics_run` that wrote it last

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"queue {self.queue_id}, {self.bucket_seconds} s from {self.bucket_start}"


def count() -> models.BigIntegerField:
    return models.BigIntegerField(default=0)


def seconds() -> models.FloatField:
    """Null when nothing was measured."""
    return models.FloatField(null=True)


class QueueMetrics(QueueBucket):
    pk = models.CompositePrimaryKey("queue_id", "bucket_seconds", "bucket_start")

    # What happened in the bucket.
    sent = count()  # came into the queue: by a send, or moved here from another
    received = count()
    received_estimated = count()  # of them, deliveries between the first and the last, whose time is not kept
    acked = count()
    dead_lettered = count()
    expired = count()
    requeued = count()
    redriven = count()
    discarded = count()
    purged = count()
    queue_deleted = count()
    nacks = count()  # of the stays that ended
    lease_expiries = count()  # of the stays that ended
    bytes_sent = count()
    bytes_acked = count()
    sent_per_second = models.FloatField()
    received_per_second = models.FloatField()
    acked_per_second = models.FloatField()
    dead_lettered_per_second = models.FloatField(default=0)

    # How often they had to be delivered.
    first_attempt_acked = count()
    first_attempt_success_rate = models.FloatField(null=True)  # of those acked or dead-lettered
    retries_histogram = models.JSONField()  # {"0": 90, "1": 8, "10": 2}: acks by retries; "10" or more

    # From arrival to the first delivery, of those first delivered in the bucket.
    queueing_delay_count = count()
    queueing_delay_p50 = seconds()
    queueing_delay_p90 = seconds()
    queueing_delay_p95 = seconds()
    queueing_delay_p99 = seconds()
    queueing_delay_max = seconds()

    # From the last delivery to the ack, of those acked in the bucket.
    processing_count = count()
    processing_p50 = seconds()
    processing_p90 = seconds()
    processing_p95 = seconds()
    processing_p99 = seconds()
    processing_max = seconds()
    processing_sum = models.FloatField(default=0)
    processing_sketch = models.JSONField()  # counts by size, which can be added up: see spark_jobs/README.md

    # From arrival to the ack, of those acked in the bucket.
    end_to_end_count = count()
    end_to_end_p50 = seconds()
    end_to_end_p90 = seconds()
    end_to_end_p95 = seconds()
    end_to_end_p99 = seconds()
    end_to_end_max = seconds()

    # What the queue held.
    depth = count()  # at the end of the bucket
    depth_max = count()
    depth_avg = models.FloatField(default=0)  # over time
    oldest_age_seconds = seconds()  # at the end of the bucket; null when it was empty
    oldest_age_max_seconds = seconds()
    in_flight = count()  # at the end of the bucket
    in_flight_avg = models.FloatField(default=0)
    in_flight_estimated = count()  # of in_flight, those delivered more than once: when is not all known

    group_count = models.IntegerField(default=0)  # groups (tenants) with messages sent in the bucket
    noisy_group_count = models.IntegerField(default=0)

    class Meta:
        db_table = "queue_metrics"
        indexes = [models.Index(fields=["bucket_seconds", "bucket_start"], name="queue_metrics_bucket")]


class QueueGroupMetrics(QueueBucket):
    """The groups (tenants) that sent most in a bucket, at most 20 of a queue."""

    pk = models.CompositePrimaryKey("queue_id", "bucket_seconds", "bucket_start", "group_id")
    group_id = models.CharField(max_length=128)
    sent = count()
    acked = count()
    dead_lettered = count()
    bytes_sent = count()
    processing_sum = models.FloatField(default=0)
    sent_share = models.FloatField()  # of what the whole queue was sent, 0 to 1
    processing_share = models.FloatField()  # of the time all its acked messages took
    noisy = models.BooleanField()  # at least 30 messages, and three times what other groups sent on average

    class Meta:
        db_table = "queue_group_metrics"
        indexes = [models.Index(fields=["bucket_seconds", "bucket_start"], name="queue_group_metrics_bucket")]


class Trend(models.TextChoices):
    NEW = "new"  # none in the 24 buckets before
    RISING = "rising"  # more than twice their average
    STEADY = "steady"
    FALLING = "falling"  # less than half of it


class DlqErrorMetrics(QueueBucket):
    """Dead letters that came into a dead-letter queue in a bucket, by what killed them; see `error_group`."""

    pk = models.CompositePrimaryKey("queue_id", "bucket_seconds", "bucket_start", "fingerprint")
    fingerprint = models.CharField(max_length=64)
    error_type = models.CharField(max_length=200, null=True)
    dead_lettered = count()
    trailing_average = models.FloatField()  # a bucket, of the 24 before
    trend = models.CharField(max_length=8, choices=Trend)

    class Meta:
        db_table = "dlq_error_metrics"
        indexes = [models.Index(fields=["bucket_seconds", "bucket_start"], name="dlq_error_metrics_bucket")]


class AdviceKind(models.TextChoices):
    VISIBILITY_TIMEOUT = "visibility_timeout"  # seconds
    MAX_DELIVERIES = "max_deliveries"  # deliveries
    HIGH_WATER_MARK = "high_water_mark"  # messages, for queue_size
    WORKERS = "workers"  # consumers that keep up with what arrives
    DRAIN_WORKERS = "drain_workers"  # consumers that also drain what waits within the target age
    LEASE_EXPIRY = "lease_expiry"  # share of deliveries whose lease ran out
    RETENTION_RISK = "retention_risk"  # share of the retention that the oldest message has used
    EXPIRY_FORECAST = "expiry_forecast"  # seconds a message that arrives now would wait


class AdviceStatus(models.TextChoices):
    OK = "ok"  # as it is, it is fine
    CHANGE = "change"  # the suggested value differs from the current one by enough to matter
    WARNING = "warning"
    CRITICAL = "critical"  # messages are being lost, or will be


class Confidence(models.TextChoices):
    LOW = "low"  # 100 samples or more
    MEDIUM = "medium"  # 1,000
    HIGH = "high"  # 10,000


class QueueAdvice(models.Model):
    """What the figures say about a queue's settings. There is none where too little has happened to tell."""

    pk = models.CompositePrimaryKey("queue_id", "kind")
    team_id = models.BigIntegerField()
    queue_id = models.BigIntegerField()
    kind = models.CharField(max_length=20, choices=AdviceKind)
    status = models.CharField(max_length=8, choices=AdviceStatus)
    current_value = models.FloatField(null=True)  # the setting, or the figure itself; null when unset
    suggested_value = models.FloatField(null=True)  # null when it only warns
    figures = models.JSONField()  # the numbers behind it, by name
    sample_size = models.BigIntegerField()
    confidence = models.CharField(max_length=6, choices=Confidence)
    observed_from = models.DateTimeField()
    observed_to = models.DateTimeField()
    computed_at = models.DateTimeField()
    run_id = models.BigIntegerField()

    class Meta:
        db_table = "queue_advice"

    def __str__(self) -> str:
        return f"{self.kind} of queue {self.queue_id}: {self.status}"


class RunStatus(models.TextChoices):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class MetricsRun(models.Model):
    """One pass of the job over one window and one size of bucket."""

    status = models.CharField(max_length=9, choices=RunStatus)
    bucket_seconds = models.IntegerField()
    window_from = models.DateTimeField()
    window_to = models.DateTimeField()  # rows of buckets in [window_from, window_to) were replaced
    settled_until = models.DateTimeField()  # what the log held before this instant was complete
    queue_id = models.BigIntegerField(null=True)  # when only one queue was asked for
    stays_read = models.BigIntegerField(null=True)  # rows: untouched messages of a queue are one
    rows_written = models.BigIntegerField(null=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    error = models.TextField(default="", blank=True)
    exported_to = models.TextField(default="", blank=True, db_default="")  # the lake that has its whole days

    class Meta:
        db_table = "metrics_run"
        indexes = [models.Index(fields=["bucket_seconds", "-id"], name="metrics_run_latest")]

    def __str__(self) -> str:
        return f"metrics run {self.pk} {self.status}"


class MetricsWatermark(models.Model):
    """Every bucket of this size that ends by `computed_until` has been computed."""

    bucket_seconds = models.IntegerField(primary_key=True)
    computed_until = models.DateTimeField()
    run_id = models.BigIntegerField()

    class Meta:
        db_table = "metrics_watermark"

    def __str__(self) -> str:
        return f"{self.bucket_seconds} s until {self.computed_until}"
