"""Messages: what a producer and a consumer may say, and what the schema says of the answers."""

from typing import Any

from drf_spectacular.utils import (
    OpenApiExample,
    PolymorphicProxySerializer,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers

from queues import limits
from queues.api.fields import QueryPair, QueryText, QueryWhole, Text, Whole
from queues.api.pages import PageQuery
from queues.api.shapes import QueryShape, Shape
from queues.operations.look import VISIBLE_STATES

ATTRIBUTE_VALUE = {
    "oneOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {
            "type": "object",
            "properties": {"binary": {"type": "string", "format": "byte"}},
            "required": ["binary"],
            "additionalProperties": False,
        },
    ]
}
LEASE = "Seconds it stays hidden from other consumers. The queue's own setting when not given."
SEQUENCE = "On a FIFO queue, its place in the line: a whole number, greater than those before it."
WAIT = "Seconds to wait when there is no message. The queue's own setting when not given."


@extend_schema_field(
    {"type": "object", "maxProperties": limits.ATTRIBUTES, "additionalProperties": ATTRIBUTE_VALUE}
)
class Attributes(serializers.Field):
    """Names and values beside the data. What the values may be is verified by the operation."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object.")
        return data


@extend_schema_field(
    {
        "type": "array",
        "items": {"type": "string"},
        "minItems": limits.BATCH_ENTRIES[0],
        "maxItems": limits.BATCH_ENTRIES[1],
    }
)
class Handles(serializers.Field):
    """A list of strings, and nothing more: each handle gets an answer of its own."""

    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list) or not all(isinstance(handle, str) for handle in data):
            raise serializers.ValidationError("Must be a list of strings.")
        return data


@extend_schema_serializer(
    examples=[
        OpenApiExample("A message", {"data": '{"order": 42}'}),
        OpenApiExample("With options", {"data": "hello", "attributes": {"kind": "greeting"}, "priority": 10}),
    ]
)
class SendMessage(Shape):
    data = Text(allow_blank=True, help_text="Any text; the queue limits its bytes.")  # type: ignore[assignment]
    attributes = Attributes(required=False)
    delay_seconds = Whole(
        limits.DELAY_SECONDS, required=False, help_text="Wait before it can be received. Not on a FIFO queue."
    )
    priority = Whole(
        limits.PRIORITY, required=False, help_text="Higher is delivered first. Not on a FIFO queue."
    )
    group_id = Text(
        required=False,
        max_length=limits.GROUP_ID_LENGTH,
        help_text="Marks a tenant. A FIFO queue needs it: messages of a group are delivered in order.",
    )
    ttl_seconds = Whole(
        limits.TTL_SECONDS, required=False, help_text="It expires after so long, if not before."
    )
    max_deliveries = Whole(
        limits.MAX_DELIVERIES, required=False, help_text="Instead of the queue's own setting."
    )


class ReceiveQuery(QueryShape):
    limit = QueryWhole(
        limits.BATCH_ENTRIES,
        required=False,
        help_text="Up to so many, in a list. Without it: one, not in a list.",
    )
    visibility_timeout = QueryWhole(limits.VISIBILITY_TIMEOUT, required=False, help_text=LEASE)
    wait_seconds = QueryWhole(limits.WAIT_SECONDS, required=False, help_text=WAIT)


class ReceiveMessages(Shape):
    max_messages = Whole(limits.BATCH_ENTRIES, required=False, help_text="1 when not given.")
    visibility_timeout = Whole(limits.VISIBILITY_TIMEOUT, required=False, help_text=LEASE)
    wait_seconds = Whole(limits.WAIT_SECONDS, required=False, help_text=WAIT)


class DeleteMessage(QueryShape):
    receipt_handle = QueryText(
        required=False, help_text="With it, only the consumer who received the message last can delete it."
    )


class AckMessages(Shape):
    receipt_handles = Handles()


class BrowseMessages(PageQuery):
    state = serializers.ChoiceField([str(state) for state in VISIBLE_STATES], required=False)
    group_id = QueryText(required=False, max_length=limits.GROUP_ID_LENGTH)
    q = QueryText(required=False, max_length=limits.SEARCH_TERM_LENGTH, help_text="Text the data contains.")
    attribute = QueryPair(required=False, help_text="`key:value`: messages with this attribute.")
    error_type = QueryText(required=False, max_length=200)
    fingerprint = QueryText(required=False, max_length=64)


# Answers. They are written by `answers.py`; these say so in the schema.


class MessageId(serializers.Serializer):
    message_id = serializers.CharField()


class StoredMessage(MessageId):
    sequence = serializers.CharField(required=False, help_text=SEQUENCE)


class DeletedMessage(MessageId):
    deleted = serializers.BooleanField()


class RequeuedMessage(MessageId):
    requeued_to = serializers.CharField(help_text="The queue it died in, where it is ready again.")


@extend_schema_field({"type": ["object", "null"]})
class LastError(serializers.Field):
    pass


class _Message(MessageId):
    data = serializers.CharField()  # type: ignore[assignment]
    attributes = Attributes()
    delivery_count = serializers.IntegerField()
    enqueued_at = serializers.DateTimeField()
    first_delivered_at = serializers.DateTimeField(allow_null=True)
    invisible_until = serializers.DateTimeField(allow_null=True)
    group_id = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    sequence = serializers.CharField(allow_null=True, help_text=SEQUENCE)
    last_error = LastError(help_text="What its consumer said when it failed.")
    source_queue_id = serializers.CharField(allow_null=True, required=False)
    dead_lettered_at = serializers.DateTimeField(allow_null=True, required=False)
    dead_letter_reason = serializers.CharField(allow_null=True, required=False)
    fingerprint = serializers.CharField(allow_null=True, required=False)
    redrive_count = serializers.IntegerField(required=False)


class ReceivedMessage(_Message):
    receipt_handle = serializers.CharField(help_text="Acknowledge with this.")


class LookedAtMessage(_Message):
    state = serializers.ChoiceField([str(state) for state in VISIBLE_STATES])
    error_type = serializers.CharField(allow_null=True)
    first_failed_at = serializers.DateTimeField(allow_null=True)
    last_failed_at = serializers.DateTimeField(allow_null=True)
    trace_id = serializers.CharField(
        allow_null=True, help_text="From the `traceparent` of the request that sent it."
    )


class TimelineEntry(serializers.Serializer):
    at = serializers.DateTimeField()
    event = serializers.CharField()
    detail = serializers.CharField(allow_null=True)
    by = serializers.CharField(allow_null=True, help_text="The name of the API key or of the person.")


class WhyNotDelivered(serializers.Serializer):
    code = serializers.CharField(help_text="`delayed`, `leased`, `group_blocked`, `paused` or `exhausted`.")
    detail = serializers.CharField()
    until = serializers.DateTimeField(allow_null=True)


class MessageInFull(LookedAtMessage):
    timeline = TimelineEntry(many=True, help_text=f"Its last {limits.HISTORY_ENTRIES} events, oldest first.")
    why_not_delivered = WhyNotDelivered(allow_null=True, help_text="null: the next receive may get it.")


class ReceivedMessages(serializers.Serializer):
    messages = ReceivedMessage(many=True)


@extend_schema_field({"type": "null"})
class Null(serializers.Field):
    pass


class NoMessage(serializers.Serializer):
    message = Null()


ReceivedOne = PolymorphicProxySerializer(
    component_name="Received",
    serializers=[ReceivedMessage, NoMessage, ReceivedMessages],
    resource_type_field_name=None,
)


class ItemError(serializers.Serializer):
    code = serializers.CharField()
    detail = serializers.CharField()


class AckedMessage(serializers.Serializer):
    receipt_handle = serializers.CharField()
    status = serializers.ChoiceField([200, 400, 404, 409])
    message_id = serializers.CharField(required=False)
    error = ItemError(required=False)


class AckedMessages(serializers.Serializer):
    results = AckedMessage(many=True)
