"""Leases: what a consumer may say of a message it holds, and what the schema says of the answers."""

from typing import Any

from drf_spectacular.utils import (
    OpenApiExample,
    PolymorphicProxySerializer,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers

from queues import limits
from queues.api.fields import Text, Whole
from queues.api.serializers.message import MessageId
from queues.api.shapes import Shape

HANDLE = "From the receive that leased it."


@extend_schema_field(
    {
        "type": "object",
        "properties": {
            "type": {"type": "string", "minLength": 1, "maxLength": limits.ERROR_TYPE_LENGTH},
            "message": {"type": "string"},
            "stack": {"type": "string"},
            "fingerprint": {"type": "string", "maxLength": limits.FINGERPRINT_LENGTH},
        },
        "required": ["type", "message"],
        "additionalProperties": False,
    }
)
class ReportedError(serializers.Field):
    """What went wrong. What its parts may be is verified by the operation."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object.")
        return data


class ChangeVisibility(Shape):
    receipt_handle = Text(help_text=HANDLE)
    visibility_timeout = Whole(
        limits.VISIBILITY_TIMEOUT,
        help_text="Seconds from now until others can receive it. 0 releases it at once.",
    )


@extend_schema_serializer(
    examples=[
        OpenApiExample("Try again later", {"receipt_handle": "…", "delay_seconds": 60, "reason": "busy"}),
        OpenApiExample(
            "An error", {"receipt_handle": "…", "error": {"type": "TimeoutError", "message": "no answer"}}
        ),
    ]
)
class NackMessage(Shape):
    receipt_handle = Text(help_text=HANDLE)
    delay_seconds = Whole(
        limits.DELAY_SECONDS,
        required=False,
        help_text="Wait so long before it can be received again. The queue's backoff when not given.",
    )
    error = ReportedError(
        required=False,
        help_text=f"What went wrong. A message is cut to {limits.ERROR_MESSAGE_LENGTH} characters, "
        f"a stack to {limits.ERROR_STACK_LENGTH}.",
    )
    reason = Text(
        required=False,
        allow_blank=True,
        help_text=f"The same in plain words, instead of an error. Cut to {limits.REASON_LENGTH} characters.",
    )


class ChangedVisibility(MessageId):
    invisible_until = serializers.DateTimeField()


class ReturnedMessage(MessageId):
    visible_at = serializers.DateTimeField(
        allow_null=True, help_text="null: out of deliveries, waiting for room in the DLQ."
    )


class BuriedMessage(MessageId):
    dead_lettered_to = serializers.CharField(help_text="The DLQ it is in now.")


NackedMessage = PolymorphicProxySerializer(
    component_name="Nacked",
    serializers=[ReturnedMessage, BuriedMessage],
    resource_type_field_name=None,
)
