"""The history of a queue, in buckets of time: the schema of what insight_answers.py writes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from queues import limits
from queues.api.shapes import QueryShape
from queues.models import QueueMetrics


class MetricsQuery(QueryShape):
    to = serializers.DateTimeField(required=False, help_text="Up to this moment, by default now.")
    bucket = serializers.ChoiceField(
        limits.METRIC_BUCKETS,
        required=False,
        help_text=f"Seconds of a bucket; by default the finest with at most {limits.METRIC_POINTS} points.",
    )

    def get_fields(self) -> dict[str, Any]:
        """`from` is no name that Python takes."""
        since = serializers.DateTimeField(
            required=False, help_text="From the bucket that holds this moment; by default a day before `to`."
        )
        return {"from": since, **super().get_fields()}


class Percentiles(serializers.Serializer):
    """Seconds; null when nothing was measured."""

    count = serializers.IntegerField(help_text="How many were measured.")
    p50 = serializers.FloatField(allow_null=True)
    p90 = serializers.FloatField(allow_null=True)
    p95 = serializers.FloatField(allow_null=True)
    p99 = serializers.FloatField(allow_null=True)
    max = serializers.FloatField(allow_null=True)


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
class Histogram(serializers.JSONField):
    """Messages by number of retries."""


class MetricsPoint(serializers.ModelSerializer):
    """What happened in a bucket, and what the queue held. Counts are of messages."""

    retries_histogram = Histogram()
    queueing_delay = Percentiles(help_text="From arrival to the first delivery.")
    processing = Percentiles(help_text="From the last delivery to the ack.")
    end_to_end = Percentiles(help_text="From arrival to the ack.")

    class Meta:
        model = QueueMetrics
        fields = (
            "bucket_start",
            *"sent received acked dead_lettered expired requeued redriven discarded purged".split(),
            *"nacks lease_expiries bytes_sent bytes_acked".split(),
            *"sent_per_second received_per_second acked_per_second dead_lettered_per_second".split(),
            *"first_attempt_success_rate retries_histogram queueing_delay processing end_to_end".split(),
            *"depth depth_max depth_avg oldest_age_seconds oldest_age_max_seconds".split(),
            *"in_flight in_flight_avg group_count noisy_group_count".split(),
        )


class GroupShare(serializers.Serializer):
    """What one group (a tenant) had of the queue."""

    group_id = serializers.CharField()
    sent = serializers.IntegerField()
    acked = serializers.IntegerField()
    dead_lettered = serializers.IntegerField()
    sent_share = serializers.FloatField(help_text="Of all that came into the queue, 0 to 1.")
    noisy = serializers.BooleanField(help_text="It sent far more than others in some bucket.")


class MetricsHistory(serializers.Serializer):
    """A bucket without a point was empty and idle if it is before `computed_until`, else not computed yet."""

    queue_id = serializers.CharField()
    bucket_seconds = serializers.ChoiceField(limits.METRIC_BUCKETS)
    computed_until = serializers.DateTimeField(allow_null=True, help_text="null: the job has never run.")
    computed_at = serializers.DateTimeField(allow_null=True)
    points = MetricsPoint(many=True)
    groups = GroupShare(many=True, help_text="Those that sent most in the whole span.")

    def get_fields(self) -> dict[str, Any]:
        since = serializers.DateTimeField(help_text="Where the first bucket begins.")
        return {"from": since, "to": serializers.DateTimeField(), **super().get_fields()}
