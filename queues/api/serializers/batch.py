"""A batch: a list whose entries are checked one by one, so that a bad one fails alone."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from queues import limits
from queues.api.serializers.message import SEQUENCE, ItemError, SendMessage
from queues.api.shapes import Shape


class BatchEntry(SendMessage):
    """A message, and what you call it in the answer: its place in the list unless you name it."""

    id = serializers.CharField(required=False, max_length=limits.BATCH_ENTRY_ID_LENGTH)


LOW, HIGH = limits.BATCH_ENTRIES
ENTRIES = BatchEntry(many=True, min_length=LOW, max_length=HIGH)  # type: ignore[call-arg]  # DRF's many_init


@extend_schema_field(ENTRIES)
class Entries(serializers.Field):
    """Objects, each perhaps with a name of its own. What is in them is checked entry by entry."""

    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
            raise serializers.ValidationError("Must be a list of objects.")
        names = [entry["id"] for entry in data if "id" in entry]
        if not all(isinstance(name, str) and 0 < len(name) <= limits.BATCH_ENTRY_ID_LENGTH for name in names):
            longest = limits.BATCH_ENTRY_ID_LENGTH
            raise serializers.ValidationError(f"An id must be a string of 1 to {longest} characters.")
        if len(set(names)) < len(names):
            raise serializers.ValidationError("Two entries have the same id.")
        return data


@extend_schema_serializer(
    examples=[OpenApiExample("Two messages", {"messages": [{"data": "one"}, {"id": "mine", "data": "two"}]})]
)
class SendBatch(Shape):
    messages = Entries()


class SentMessage(serializers.Serializer):
    id = serializers.CharField(help_text="The entry's own id, or its place in the list.")
    status = serializers.IntegerField(help_text="201, or the status the message would have had alone.")
    message_id = serializers.CharField(required=False)
    sequence = serializers.CharField(required=False, help_text=SEQUENCE)
    error = ItemError(required=False)


class SentBatch(serializers.Serializer):
    results = SentMessage(many=True)
