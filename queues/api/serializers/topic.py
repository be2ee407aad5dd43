"""Topics, their subscriptions, and what becomes of a published message."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from queues import filter_policy, limits
from queues.api.fields import Text, VerifiedObject, verified_by
from queues.api.serializers.message import ItemError
from queues.api.shapes import Shape

_TEXT = {"type": "string", "maxLength": limits.FILTER_VALUE_LENGTH}
_NUMBER = {"type": "number", "minimum": limits.ATTRIBUTE_INTEGER[0], "maximum": limits.ATTRIBUTE_INTEGER[1]}
_VALUES: list[dict[str, Any]] = [_TEXT, _NUMBER, {"type": "boolean"}]


def _list_of(*items: dict[str, Any], low: int = 1, high: int = limits.FILTER_VALUES) -> dict[str, Any]:
    return {"type": "array", "minItems": low, "maxItems": high, "items": {"anyOf": list(items)}}


def _operator(name: str, operand: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: operand},
        "required": [name],
        "additionalProperties": False,
    }


_SIGN = {"type": "string", "enum": list(filter_policy.COMPARISONS)}
_CONDITIONS: list[dict[str, Any]] = [
    *_VALUES,
    _operator("prefix", {**_TEXT, "minLength": 1}),
    _operator("anything-but", {"anyOf": [*_VALUES, _list_of(*_VALUES)]}),
    _operator("numeric", _list_of(_SIGN, _NUMBER, low=2, high=4)),
    _operator("exists", {"type": "boolean"}),
]


@extend_schema_field(
    {
        "type": "object",
        "minProperties": 1,
        "maxProperties": limits.FILTER_ATTRIBUTES,
        "propertyNames": {"minLength": 1, "maxLength": limits.ATTRIBUTE_NAME_LENGTH},
        "additionalProperties": _list_of(*_CONDITIONS),
    }
)
class FilterPolicy(VerifiedObject):
    """Which messages: those of which every named attribute meets one of its conditions."""

    verify = staticmethod(filter_policy.verified)


@extend_schema_field(
    {
        "type": "string",
        "minLength": 1,
        "maxLength": limits.TOPIC_NAME_LENGTH,
        "pattern": "^[A-Za-z0-9_-]+$",
    }
)
class TopicName(Text):
    """Letters, digits, hyphens and underscores; unique among the topics of the team."""


class CreateTopic(Shape):
    topic_name = TopicName(validators=[verified_by(limits.verify_topic_name)])


class TopicId(serializers.Serializer):
    topic_id = serializers.CharField()


class DeletedTopic(TopicId):
    deleted = serializers.BooleanField()


class TopicDetail(serializers.Serializer):
    topic_id = serializers.CharField(source="public_id")
    topic_name = serializers.CharField(source="name")
    subscription_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()


@extend_schema_serializer(
    examples=[
        OpenApiExample("Every message", {"queue_id": "q_0000000000000000000000"}),
        OpenApiExample(
            "Some of them",
            {
                "queue_id": "q_0000000000000000000000",
                "filter": {
                    "kind": ["order.placed", {"prefix": "refund."}],
                    "stage": [{"anything-but": ["test"]}],
                    "amount": [{"numeric": [">=", 100, "<", 500]}],
                    "replayed": [{"exists": False}],
                },
            },
        ),
    ]
)
class CreateSubscription(Shape):
    queue_id = Text(help_text="A queue of the team.")
    filter = FilterPolicy(required=False, allow_null=True, help_text="Without it: every message.")


class SubscriptionId(serializers.Serializer):
    subscription_id = serializers.CharField()


class DeletedSubscription(SubscriptionId):
    deleted = serializers.BooleanField()


class SubscriptionDetail(serializers.Serializer):
    subscription_id = serializers.CharField(source="public_id")
    topic_id = serializers.CharField(source="topic.public_id")
    queue_id = serializers.CharField(source="queue.public_id")
    filter = FilterPolicy(allow_null=True)
    created_at = serializers.DateTimeField()


class TopicDelivery(serializers.Serializer):
    """A copy in one queue, or why there is none."""

    queue_id = serializers.CharField()
    message_id = serializers.CharField(required=False)
    error = ItemError(required=False)


class PublishedMessage(serializers.Serializer):
    topic_message_id = serializers.CharField(help_text="For your log; the copies have ids of their own.")
    deliveries = TopicDelivery(many=True)
