"""A call of the contract: who may make it, what it takes and answers. Views check it, the schema shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rest_framework.serializers import BaseSerializer

from queues.api.shapes import QueryShape, Shape
from queues.errors import QueueError

NO_QUERY = QueryShape()
NO_FIELDS = Shape()


@dataclass(frozen=True, kw_only=True)
class Call:
    scope: str | None = None  # None: any valid key
    query: QueryShape = NO_QUERY
    body: Shape = NO_FIELDS  # of a GET or DELETE it is not read
    answers: Mapping[int, BaseSerializer] = field(default_factory=dict)
    problems: Sequence[type[QueueError]] = ()  # besides those of every call
