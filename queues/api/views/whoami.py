"""Who the service takes the caller for."""

from dataclasses import asdict

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api.calls import Call
from queues.api.serializers.whoami import Whoami
from queues.api.views.door import Door
from queues.operations.teams import quotas


class WhoamiView(Door):
    tag = "self"
    calls = {"whoami": Call(answers={200: Whoami()})}

    def whoami(self, request: Request) -> Response:
        """The team, name and scopes of this key, and how much of the team's quotas is used."""
        return Response(
            {
                "team": self.team.name,
                "key_name": self.key.name,
                "scopes": self.key.scopes,
                "quotas": asdict(quotas(self.team)),
            }
        )
