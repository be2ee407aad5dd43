"""What a queue has done, what that says about its settings, and how many consumers it could do with."""

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import insight_answers
from queues.api.calls import Call
from queues.api.serializers.advice import QueueAdvice
from queues.api.serializers.metrics import MetricsHistory, MetricsQuery
from queues.api.serializers.scaling import Scaling, ScalingQuery
from queues.api.views.door import Door
from queues.errors import QueueNotFound
from queues.operations import metrics
from queues.operations.advice import advice, computed_at
from queues.operations.scaling import scaling

# The job adds to history once a minute at the most; how many workers are wanted is a matter of this moment.
SETTLED = {"Cache-Control": "private, max-age=30"}
LIVE = {"Cache-Control": "no-store"}


class InsightView(Door):
    tag = "queues"
    calls = {
        "queue_metrics": Call(
            query=MetricsQuery(), answers={200: MetricsHistory()}, problems=(QueueNotFound,)
        ),
        "queue_advice": Call(answers={200: QueueAdvice()}, problems=(QueueNotFound,)),
        "queue_scaling": Call(query=ScalingQuery(), answers={200: Scaling()}, problems=(QueueNotFound,)),
    }

    def queue_metrics(self, request: Request, queue_id: str) -> Response:
        """The history of a queue, in buckets of a minute, five minutes or an hour.

        Computed by a job that runs beside the service: `computed_until` says how far it has got.
        """
        asked = {"since": self.query.get("from"), "until": self.query.get("to")}
        queue = self.queue()
        history = metrics.history(queue, **asked, bucket_seconds=self.query.get("bucket"))
        return Response(insight_answers.metrics(queue, history), headers=SETTLED)

    def queue_advice(self, request: Request, queue_id: str) -> Response:
        """What the history says about the settings of a queue and its consumers.

        Each with the figures behind it. Nothing is changed by asking.
        """
        queue = self.queue()
        found = advice(queue)
        answer = {"queue_id": queue.public_id, "computed_at": computed_at(found), "advice": found}
        return Response(QueueAdvice(answer).data, headers=SETTLED)

    def queue_scaling(self, request: Request, queue_id: str) -> Response:
        """How many workers a queue wants, for KEDA's metrics-api scaler and its like.

        The backlog divided by `messages_per_worker`, or what drains it in `target_drain_seconds`, or what
        `steps` say; of several the largest.
        """
        return Response(Scaling(scaling(self.queue(), **self.query)).data, headers=LIVE)
