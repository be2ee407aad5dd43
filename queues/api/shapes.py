"""Requests have a shape, and nothing else may be in them: a misspelled option is refused, not ignored."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from rest_framework import serializers


# A serializer used for input only. One instance serves every request: `read` keeps nothing, and building
# the fields anew cost more than running them. (No docstring: the schema would show it.)
class Shape(serializers.Serializer):
    unknown = "Unknown field."

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return self.run_validation(given)

    def to_internal_value(self, data: Any) -> Any:
        """A field nobody knows comes first: it often explains why another one seems to be missing."""
        refused = {name: [self.unknown] for name in data if name not in self.fields}
        if refused:
            raise serializers.ValidationError(refused)
        return super().to_internal_value(data)


class QueryShape(Shape):
    unknown = "Unknown query parameter."

    def read_query(self, query: QueryDict) -> dict[str, Any]:
        return self.read(dict(_single_values(query))) if query else {}


def _single_values(query: QueryDict) -> Iterable[tuple[str, str]]:
    for name, values in query.lists():
        if len(values) > 1:
            raise serializers.ValidationError({name: ["Given more than once."]})
        yield name, values[0]
