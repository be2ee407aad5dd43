"""Fields that take JSON at its word: a string is no number, a boolean is no number, spaces stay."""

import re
from collections.abc import Callable
from typing import Any

from django.core.validators import ProhibitNullCharactersValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from queues.errors import Invalid

INTEGER = re.compile(r"-?[0-9]{1,18}\Z")
PAIR = re.compile(r"([^:]+):(.*)\Z", re.DOTALL)
# The parser has looked already, once for the whole body; DRF would look at every character again.
DONE_BY_THE_PARSER = (ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator)


def verified_by(verify: Callable[[Any], Any]) -> Callable[[Any], None]:
    """A `verify_*` of `limits.py` as a field's validator."""

    def validator(value: Any) -> None:
        try:
            verify(value)
        except Invalid as problem:
            raise serializers.ValidationError(problem.message) from None

    return validator


class Whole(serializers.IntegerField):
    """A JSON integer between two bounds of `limits.py`."""

    def __init__(self, within: tuple[int, int], **arguments: Any) -> None:
        low, high = within
        super().__init__(min_value=low, max_value=high, **arguments)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is float and data.is_integer():
            return int(data)  # 3.0 is an integer to JSON, and to the schema
        if type(data) is not int:
            self.fail("invalid")
        return data


class Text(serializers.CharField):
    """A JSON string, kept as it is."""

    def __init__(self, **arguments: Any) -> None:
        shortest = 0 if arguments.get("allow_blank") else 1
        super().__init__(**{"trim_whitespace": False, "min_length": shortest, **arguments})
        self.validators = [v for v in self.validators if not isinstance(v, DONE_BY_THE_PARSER)]

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class VerifiedObject(serializers.Field):
    """An object that the engine verifies; the field inside it that is at fault is named."""

    verify: Callable[[Any], dict[str, Any]]

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object.")
        try:
            return self.verify(data)
        except Invalid as problem:
            _, _, inner = str(problem.field).partition(".")
            detail: Any = {inner: [problem.message]} if inner else problem.message
            raise serializers.ValidationError(detail) from None

    def to_representation(self, value: dict[str, Any]) -> dict[str, Any]:
        return value


class Flag(serializers.BooleanField):
    """A JSON boolean."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class QueryText(serializers.CharField):
    """A query parameter; nothing has looked for NUL characters yet."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**{"trim_whitespace": False, **arguments})


class QueryWhole(Whole):
    def to_internal_value(self, data: Any) -> int:
        if not INTEGER.match(data):
            self.fail("invalid")
        return int(data)


@extend_schema_field({"type": "string", "enum": ["true", "false"]})
class QueryFlag(serializers.BooleanField):
    """`true` or `false`, spelled as JSON spells them."""

    WORDS = {"true": True, "false": False}

    def to_internal_value(self, data: Any) -> bool:
        if data not in self.WORDS:
            raise serializers.ValidationError("Must be true or false.")
        return self.WORDS[data]


@extend_schema_field({"type": "string", "pattern": "^[^:]+:"})
class QueryPair(QueryText):
    """`key:value`, split at the first colon."""

    def to_internal_value(self, data: Any) -> Any:
        found = PAIR.match(super().to_internal_value(data))
        if not found:
            raise serializers.ValidationError("Must have the form key:value.")
        return found.groups()
