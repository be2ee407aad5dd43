"""Redrives: what may be asked for, what is planned, and how far one has come."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from queues import limits
from queues.api.fields import Flag, Text, VerifiedObject, Whole
from queues.api.serializers.message import ATTRIBUTE_VALUE
from queues.api.shapes import Shape
from queues.models import RedriveStatus, RedriveTask
from queues.operations import canary, redrive, redrive_filters

STATUSES = f"{', '.join(RedriveStatus.values[:-1])} or {RedriveStatus.values[-1]}."


def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest}


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "fingerprint": _text(limits.FINGERPRINT_LENGTH),
            "error_type": _text(limits.ERROR_TYPE_LENGTH),
            "group_id": _text(limits.GROUP_ID_LENGTH),
            "attribute": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": limits.ATTRIBUTES,
                "propertyNames": {"minLength": 1, "maxLength": limits.ATTRIBUTE_NAME_LENGTH},
                "additionalProperties": ATTRIBUTE_VALUE,
            },
            "dead_lettered_before": {"type": "string", "format": "date-time"},
            "dead_lettered_after": {"type": "string", "format": "date-time"},
            "message_ids": {
                "type": "array",
                "items": {"type": "string", "pattern": "^msg_[0-9A-Za-z]{22}$"},
                "minItems": 1,
                "maxItems": limits.REDRIVE_MESSAGE_IDS,
            },
            "max_redrive_count": {
                "type": "integer",
                "minimum": limits.REDRIVE_COUNT[0],
                "maximum": limits.REDRIVE_COUNT[1],
            },
        },
    }
)
class RedriveFilter(VerifiedObject):
    """Which dead letters: those that match all of it."""

    verify = staticmethod(redrive_filters.verified)


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["steps"],
        "properties": {
            "steps": {
                "type": "array",
                "items": {
                    "type": "integer",
                    "minimum": limits.CANARY_STEP[0],
                    "maximum": limits.CANARY_STEP[1],
                },
                "minItems": 1,
                "maxItems": limits.CANARY_STEPS,
            },
            "max_return_ratio": {
                "type": "number",
                "minimum": limits.CANARY_RETURN_RATIO[0],
                "maximum": limits.CANARY_RETURN_RATIO[1],
                "default": canary.DEFAULTS["max_return_ratio"],
            },
            "watch_seconds": {
                "type": "number",
                "minimum": limits.CANARY_WATCH_SECONDS[0],
                "maximum": limits.CANARY_WATCH_SECONDS[1],
                "default": canary.DEFAULTS["watch_seconds"],
            },
        },
    }
)
class Canary(VerifiedObject):
    """A few messages first; the rest only if no more than this share of them comes back dead."""

    verify = staticmethod(canary.verified)


@extend_schema_serializer(
    examples=[
        OpenApiExample("Everything", {}),
        OpenApiExample("How many would it be?", {"filter": {"error_type": "Timeout"}, "dry_run": True}),
        OpenApiExample("Carefully", {"max_messages_per_second": 50, "canary": {"steps": [1, 10]}}),
    ]
)
class StartRedrive(Shape):
    target_queue_id = Text(required=False, help_text="When not given, each goes to the queue it died in.")
    filter = RedriveFilter(required=False)
    limit = Whole(limits.REDRIVE_LIMIT, required=False, help_text="Move no more than this.")
    max_messages_per_second = Whole(limits.REDRIVE_RATE, required=False)
    canary = Canary(required=False)
    dry_run = Flag(required=False, help_text="Say what would happen; move nothing.")


class StartedRedrive(serializers.Serializer):
    redrive_id = serializers.CharField()
    status = serializers.CharField(help_text=STATUSES)
    matched = serializers.IntegerField()


class Going(serializers.Serializer):
    queue_id = serializers.CharField()
    count = serializers.IntegerField()


class Staying(serializers.Serializer):
    reason = serializers.CharField(help_text="leased, redriven_too_often or source_deleted.")
    count = serializers.IntegerField()


class RedrivePlan(serializers.Serializer):
    """What would happen. The counts of `targets` and `blocked` add up to `matched`."""

    matched = serializers.IntegerField()
    targets = Going(many=True)
    blocked = Staying(many=True)


class Redrive(serializers.Serializer):
    redrive_id = serializers.CharField(source="public_id")
    status = serializers.CharField(help_text=STATUSES)
    reason = serializers.CharField(help_text="Why it stopped or failed, or what it waits for.")
    matched = serializers.IntegerField()
    moved = serializers.IntegerField()
    skipped = serializers.SerializerMethodField()
    undone = serializers.IntegerField(help_text="Pulled back before anybody received them.")
    step = serializers.IntegerField(help_text="Of the canary ladder, from 0.")
    target_queue_id = serializers.SerializerMethodField()
    filter = RedriveFilter()
    limit = serializers.IntegerField(allow_null=True)
    max_messages_per_second = serializers.IntegerField(allow_null=True)
    canary = Canary(allow_null=True)
    requested_by = serializers.CharField()
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    eta_seconds = serializers.SerializerMethodField()

    @extend_schema_field(Staying(many=True))
    def get_skipped(self, task: RedriveTask) -> list[dict[str, Any]]:
        return [{"reason": reason, "count": count} for reason, count in sorted(task.skipped.items())]

    def get_target_queue_id(self, task: RedriveTask) -> str | None:
        """null: each goes to the queue it died in."""
        return task.target.public_id if task.target else None

    def get_eta_seconds(self, task: RedriveTask) -> float | None:
        """null when it is over, or when nobody can tell yet."""
        return redrive.eta_seconds(task)


class Undone(serializers.Serializer):
    undone = serializers.IntegerField()
