"""Who calls: the API key behind `Authorization: Bearer …`. No session, no cookie, so no CSRF either."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from queues.errors import NotAuthenticated
from queues.models import ApiKey
from queues.operations import keys


class ApiKeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[None, ApiKey] | None:
        """The key becomes `request.auth`. There is no user: a key belongs to a team, not to a person."""
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        key = keys.authenticate(token.strip())
        if key is None:
            raise NotAuthenticated("This API key is unknown, expired or revoked.")
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
