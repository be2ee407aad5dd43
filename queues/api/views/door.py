"""What all calls of this door share: they are checked against their entry in `calls` before they run."""

from collections.abc import Mapping
from typing import Any, overload

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from queues.api import parsers
from queues.api.authentication import ApiKeyAuthentication
from queues.api.calls import Call
from queues.errors import Forbidden, Invalid, QueueNotFound
from queues.models import ApiKey, Queue, Team, Topic
from queues.operations import keys, queues, topics


class Door(ViewSet):
    """The name of an action is its operationId in the schema."""

    http_method_names = ["get", "post", "patch", "delete", "head"]
    tag: str  # the heading its calls have in the schema
    calls: Mapping[str, Call] = {}
    query: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.call:
            self.query = self.call.query.read_query(request.query_params)

    @property
    def call(self) -> Call | None:
        """None when the address exists but not with this method."""
        action = self.action_map.get(str(self.request.method).lower())
        return self.calls[action] if action else None

    @property
    def scope(self) -> str | None:
        return self.call.scope if self.call else None

    @property
    def key(self) -> ApiKey:
        return self.request.auth  # type: ignore[return-value]

    @property
    def team(self) -> Team:
        return self.key.team

    @property
    def default_response_headers(self) -> dict[str, str]:
        """DRF would write `Allow` on every answer; a 405 has it, see problems.py."""
        return {}

    def queue(self) -> Queue:
        """The queue of the address: not found if another team's, forbidden if outside the key's pattern."""
        queue = queues.find(self.team, self.kwargs["queue_id"])
        self.check_object_permissions(self.request, queue)
        return queue

    def topic(self) -> Topic:
        """The topic of the address, by the same rules: the pattern of a key holds for names of topics too."""
        topic = topics.find(self.team, self.kwargs["topic_id"])
        self.check_object_permissions(self.request, topic)
        return topic

    def queue_anew(self) -> Queue:
        """The same after a while: the key may have been revoked since, the queue deleted or changed."""
        authenticated = ApiKeyAuthentication().authenticate(self.request)
        self.request.auth = authenticated[1] if authenticated else None
        self.check_permissions(self.request)
        return self.queue()

    @overload
    def named_queue(self, field: str, public_id: str) -> Queue: ...

    @overload
    def named_queue(self, field: str, public_id: None) -> None: ...

    def named_queue(self, field: str, public_id: str | None) -> Queue | None:
        """Another queue that a field names, which must be one this key may use in the same way."""
        if public_id is None:
            return None
        try:
            queue = queues.find(self.team, public_id)
        except QueueNotFound as problem:
            raise Invalid(problem.message, field=field) from None
        self.require_use_of(queue, field)
        return queue

    def require_use_of(self, queue: Queue, field: str | None = None) -> None:
        """Another queue that this call changes too: a key must not reach it by way of the one it may use."""
        if not keys.allows(self.key, self.scope, queue.name):
            raise Forbidden("This key may not use that queue.", field=field)

    def within_pattern(self, rows: QuerySet, name: str = "name") -> QuerySet:
        """Those of the rows that this key may know of, by one more statement if it has a pattern."""
        if not self.key.queue_pattern:
            return rows
        names = rows.values_list(name, flat=True)
        return rows.filter(**{f"{name}__in": [each for each in names if keys.allows(self.key, None, each)]})

    def body(self) -> dict[str, Any]:
        parsers.admit_chunked(self.request._request)
        return self.calls[self.action].body.read(self.request.data)  # type: ignore[arg-type]
