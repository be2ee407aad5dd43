"""Who the service takes the caller for."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api.calls import Call
from queues.api.serializers.whoami import Whoami
from queues.api.views.door import Door
from queues.models import ApiKey, Queue, Team, Topic


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
                "quotas": _quotas(self.team),
            }
        )


def _quotas(team: Team) -> dict[str, Any]:
    queues = Queue.objects.live().filter(team=team).count()
    topics = Topic.objects.filter(team=team).count()
    api_keys = ApiKey.objects.live().filter(team=team).count()
    return {
        "queues": {"limit": team.max_queues, "used": queues},
        "topics": {"limit": team.max_topics, "used": topics},
        "api_keys": {"limit": team.max_api_keys, "used": api_keys},
    }
