"""A message in the hands of a consumer: held longer, released, given back."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import answers
from queues.api.calls import Call
from queues.api.serializers.lease import ChangedVisibility, ChangeVisibility, NackedMessage, NackMessage
from queues.api.views.door import Door
from queues.errors import MessageNotFound, QueueNotFound, ReceiptStale
from queues.operations.lease import change_visibility
from queues.operations.nack import Nacked, nack

PROBLEMS = (QueueNotFound, MessageNotFound, ReceiptStale)


class LeaseView(Door):
    tag = "messages"
    calls = {
        "change_visibility": Call(
            scope="receive", body=ChangeVisibility(), answers={200: ChangedVisibility()}, problems=PROBLEMS
        ),
        "nack_message": Call(
            scope="receive", body=NackMessage(), answers={200: NackedMessage}, problems=PROBLEMS
        ),
    }

    def change_visibility(self, request: Request, queue_id: str, message_id: str) -> Response:
        """Hold a message longer, or release it.

        A lease lasts 12 hours at the most, counted from the receive. One that ran out begins again as long as
        nobody else has received the message. Released with 0, the message can be received by others at once;
        until one of them does, the handle is still good for an ack. On a FIFO queue neither holds: a lease
        that is over is over.
        """
        end = change_visibility(self.queue(), message_id, **self.body())
        return Response({"message_id": message_id, "invisible_until": answers.time(end)})

    def nack_message(self, request: Request, queue_id: str, message_id: str) -> Response:
        """Give a message back as failed.

        It can be received again after `delay_seconds`, else after the backoff of the queue, else at once.
        When its deliveries are used up it is a dead letter now, and the answer names the DLQ; while that DLQ
        is full it stays, out of deliveries, and `visible_at` is null. The handle is stale afterwards.
        """
        return Response({"message_id": message_id, **_fate(nack(self.queue(), message_id, **self.body()))})


def _fate(nacked: Nacked) -> dict[str, Any]:
    if nacked.dead_lettered_to:
        return {"dead_lettered_to": nacked.dead_lettered_to.public_id}
    return {"visible_at": answers.time(nacked.visible_at)}
