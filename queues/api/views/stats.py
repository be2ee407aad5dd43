"""How a queue is doing."""

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api.calls import Call
from queues.api.serializers.stats import QueueStats
from queues.api.views.door import Door
from queues.errors import QueueNotFound
from queues.operations.stats import stats


class StatsView(Door):
    tag = "queues"
    calls = {"queue_stats": Call(answers={200: QueueStats()}, problems=(QueueNotFound,))}

    def queue_stats(self, request: Request, queue_id: str) -> Response:
        """What a queue holds, and messages per second over the last minutes.

        Rates lag by a second or two.
        """
        return Response(QueueStats(stats(self.queue())).data)
