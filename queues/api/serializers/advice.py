"""What the figures say about a queue's settings."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from queues.models import AdviceKind, AdviceStatus, Confidence


@extend_schema_field({"type": "object", "additionalProperties": True})
class Figures(serializers.JSONField):
    """The numbers behind it, by name."""


class Advice(serializers.Serializer):
    kind = serializers.CharField(source="found.kind", help_text=", ".join(AdviceKind.values))
    status = serializers.CharField(source="found.status", help_text=", ".join(AdviceStatus.values))
    setting = serializers.CharField(allow_null=True, help_text="The setting it is about, if it is about one.")
    current_value = serializers.FloatField(source="found.current_value", allow_null=True)
    suggested_value = serializers.FloatField(source="found.suggested_value", allow_null=True)
    outdated = serializers.BooleanField(
        source="is_outdated", help_text="The setting has been changed since; the next run looks again."
    )
    figures = Figures(source="found.figures")
    sample_size = serializers.IntegerField(source="found.sample_size", help_text="Messages it is based on.")
    confidence = serializers.CharField(source="found.confidence", help_text=", ".join(Confidence.values))
    observed_from = serializers.DateTimeField(source="found.observed_from")
    observed_to = serializers.DateTimeField(source="found.observed_to")
    computed_at = serializers.DateTimeField(source="found.computed_at")


class QueueAdvice(serializers.Serializer):
    """Urgent things first. A kind is absent where too little has happened to tell."""

    queue_id = serializers.CharField()
    computed_at = serializers.DateTimeField(allow_null=True, help_text="null: there is none.")
    advice = Advice(many=True)
