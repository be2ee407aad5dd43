"""What the key may do. Every action of a view names its scope; None means any valid key."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from queues.models import ApiKey, Queue, Topic
from queues.operations import keys


class HasScope(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, ApiKey) and keys.allows(request.auth, view.scope)

    def has_object_permission(self, request: Request, view: Any, named: Queue | Topic) -> bool:
        return keys.allows(view.key, view.scope, named.name)
