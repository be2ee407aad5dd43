"""An error, as the schema shows it. Written by `problems.py`."""

from rest_framework import serializers


class FieldError(serializers.Serializer):
    field = serializers.CharField()
    message = serializers.CharField()


class Problem(serializers.Serializer):
    """RFC 9457, with a stable word in `code`."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    instance = serializers.CharField()
    request_id = serializers.CharField()
    errors = FieldError(many=True)  # type: ignore[assignment]
