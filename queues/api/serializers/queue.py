"""A queue: its settings as they are given, and the whole of it as it is shown."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from queues import limits
from queues.api.fields import Flag, QueryFlag, QueryPair, QueryText, Text, Whole, verified_by
from queues.api.pages import PageQuery
from queues.api.shapes import QueryShape, Shape
from queues.models import Mode, Queue
from queues.operations.backoff import BOUNDS as BACKOFF_BOUNDS
from queues.operations.backoff import verified as verified_backoff


@extend_schema_field(
    {
        "type": "string",
        "minLength": 1,
        "maxLength": limits.QUEUE_NAME_LENGTH,
        "pattern": r"^[A-Za-z0-9_-]+(\.fifo)?$",
    }
)
class QueueName(Text):
    """Letters, digits, hyphens and underscores; unique in the team."""


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "string", "maxLength": limits.TAG_VALUE_LENGTH},
        "maxProperties": limits.TAGS,
        "propertyNames": {"minLength": 1, "maxLength": limits.TAG_KEY_LENGTH},
    }
)
class Tags(serializers.Field):
    """Your own names and values for finding queues again."""

    def to_internal_value(self, data: Any) -> dict[str, str]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object.")
        return data

    def to_representation(self, value: dict[str, str]) -> dict[str, str]:
        return value


@extend_schema_field(
    {
        "type": "object",
        "properties": {
            name: {"type": "number", "minimum": low, "maximum": high}
            for name, (low, high) in BACKOFF_BOUNDS.items()
        },
        "required": ["base_seconds"],
        "additionalProperties": False,
    }
)
class Backoff(serializers.Field):
    """How long a message waits after a nack or an expired lease, longer each time."""

    def to_internal_value(self, data: Any) -> dict[str, float]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object or null.")
        return data

    def to_representation(self, value: dict[str, float]) -> dict[str, float]:
        return value


class UpdateQueue(Shape):
    """The settings that can be changed. What is not given stays as it is."""

    queue_size = Whole(
        limits.QUEUE_SIZE,
        required=False,
        allow_null=True,
        help_text="How many messages it may hold, in whatever state. null: as many as come.",
    )
    visibility_timeout = Whole(
        limits.VISIBILITY_TIMEOUT,
        required=False,
        help_text="Seconds a received message stays hidden from other consumers.",
    )
    max_deliveries = Whole(
        limits.MAX_DELIVERIES,
        required=False,
        allow_null=True,
        help_text="After so many deliveries a message is a dead letter. null: never.",
    )
    delay_seconds = Whole(
        limits.DELAY_SECONDS,
        required=False,
        help_text="How long a new message waits before it can be received. Less than retention_seconds.",
    )
    retention_seconds = Whole(
        limits.RETENTION_SECONDS, required=False, help_text="How long messages are kept."
    )
    max_message_bytes = Whole(
        limits.MESSAGE_BYTES, required=False, help_text="The largest message it accepts."
    )
    receive_wait_seconds = Whole(
        limits.WAIT_SECONDS,
        required=False,
        help_text="How long a receive waits for a message when there is none, unless it says itself.",
    )
    backoff = Backoff(
        required=False,
        allow_null=True,
        validators=[verified_by(verified_backoff)],
        help_text="base_seconds * factor ^ (deliveries - 1), at most max_seconds, give or take the jitter "
        "(a share: 0.1 is 10 %). null: no wait.",
    )
    priority_aging_seconds = Whole(
        limits.PRIORITY_AGING_SECONDS,
        required=False,
        allow_null=True,
        help_text="Waiting this long is worth one step of priority. null: the highest priority always first.",
    )
    target_age_seconds = Whole(
        limits.TARGET_AGE_SECONDS,
        required=False,
        allow_null=True,
        help_text="How old the oldest message may get: your own promise, shown and advised on, not enforced.",
    )
    allow_edit = Flag(
        required=False,
        help_text="Whether operators may edit its dead letters in the console and send them anew.",
    )
    tags = Tags(required=False, validators=[verified_by(limits.verify_tags)])
    description = Text(required=False, allow_blank=True, max_length=limits.DESCRIPTION_LENGTH)
    dlq_id = Text(
        required=False,
        allow_null=True,
        help_text="A queue of the team that takes the dead letters. "
        "Without one it is made when the first message dies.",
    )


@extend_schema_serializer(
    examples=[
        OpenApiExample("A queue", {"queue_name": "orders", "visibility_timeout": 30, "max_deliveries": 3}),
        OpenApiExample(
            "A bounded queue", {"queue_name": "resize", "queue_size": 1000, "tags": {"for": "web"}}
        ),
    ]
)
class CreateQueue(UpdateQueue):
    """A name, and the settings that shall not have their defaults."""

    queue_name = QueueName(validators=[verified_by(limits.verify_queue_name)])
    mode = serializers.ChoiceField(
        Mode.values,
        required=False,
        help_text="`fifo`: messages of a group are delivered in order, to one consumer at a time. "
        "Fixed once the queue is made.",
    )


class ListQueues(PageQuery):
    name_prefix = QueryText(required=False, max_length=limits.QUEUE_NAME_LENGTH)
    tag = QueryPair(required=False, help_text="`key:value`: queues with this tag.")
    is_dlq = QueryFlag(required=False, help_text="Only dead-letter queues, or only others.")


class DeleteQueue(QueryShape):
    with_dlq = QueryFlag(required=False, help_text="Delete its lazily made DLQ, whatever it holds.")


class QueueId(serializers.Serializer):
    queue_id = serializers.CharField()


class DeletedQueue(serializers.Serializer):
    queue_id = serializers.CharField()
    deleted = serializers.BooleanField()
    kept_dlq_id = serializers.CharField(
        allow_null=True, help_text="Its DLQ, when that stays because it still holds dead letters."
    )


class Purged(serializers.Serializer):
    purged = serializers.IntegerField()


class QueueCounts(serializers.Serializer):
    """What a queue holds just now."""

    current_message_count = serializers.IntegerField(source="counts.total", help_text="In every state.")
    visible_count = serializers.IntegerField(source="counts.visible")
    in_flight_count = serializers.IntegerField(source="counts.in_flight")
    delayed_count = serializers.IntegerField(source="counts.delayed")
    exhausted_count = serializers.IntegerField(
        source="counts.exhausted", help_text="Out of deliveries, waiting for room in the DLQ."
    )
    counts_exact = serializers.BooleanField(
        source="counts.exact", help_text=f"Above {limits.EXACT_COUNT} counts are estimates."
    )
    oldest_message_age_seconds = serializers.FloatField(source="counts.oldest_age_seconds", allow_null=True)


class QueueDetail(QueueCounts):
    """A queue and what it holds just now."""

    queue_id = serializers.CharField(source="public_id")
    queue_name = serializers.CharField(source="name")
    queue_size = serializers.IntegerField(allow_null=True)
    visibility_timeout = serializers.IntegerField()
    max_deliveries = serializers.IntegerField(allow_null=True)
    dlq_id = serializers.SerializerMethodField()

    mode = serializers.CharField()
    delay_seconds = serializers.IntegerField()
    retention_seconds = serializers.IntegerField()
    max_message_bytes = serializers.IntegerField()
    receive_wait_seconds = serializers.IntegerField()
    backoff = Backoff(allow_null=True)
    priority_aging_seconds = serializers.IntegerField(allow_null=True)
    target_age_seconds = serializers.IntegerField(allow_null=True)
    allow_edit = serializers.BooleanField()
    tags = Tags()
    description = serializers.CharField()

    is_dlq = serializers.BooleanField()
    paused = serializers.BooleanField()
    source_queue_ids = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_dlq_id(self, queue: Queue) -> str | None:
        """null until the first message dies, unless a queue was named up front."""
        return queue.dlq.public_id if queue.dlq else None

    def get_source_queue_ids(self, queue: Queue) -> list[str]:
        """The queues whose dead letters come here."""
        return [source.public_id for source in queue.live_sources]  # type: ignore[attr-defined]


class QueueSummary(QueueDetail):
    """A queue as a list shows it: settings and flags, nothing that would have to be counted."""

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields().items()
        return {name: field for name, field in fields if not (field.source or "").startswith("counts.")}
