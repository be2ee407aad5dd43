"""Many messages in one call: one commit, an answer for each."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import answers
from queues.api.calls import Call
from queues.api.problems import invalid_of
from queues.api.serializers.batch import SendBatch, SentBatch
from queues.api.serializers.message import SendMessage
from queues.api.trace_context import trace_id
from queues.api.views.door import Door
from queues.errors import QueueNotFound
from queues.operations.send import send_batch
from queues.values import NewMessage, Refused

ENTRY = SendMessage()


class BatchView(Door):
    tag = "messages"
    calls = {
        "send_messages": Call(
            scope="send", body=SendBatch(), answers={200: SentBatch()}, problems=(QueueNotFound,)
        )
    }

    def send_messages(self, request: Request, queue_id: str) -> Response:
        """Send up to 1000 messages.

        They are stored in order, in one commit. Each has an answer of its own: a bad one fails alone (on a
        FIFO queue with the later ones of its group), and when the queue is nearly full the first ones fit.
        """
        queue = self.queue()
        given = self.body()["messages"]
        trace = trace_id(request)
        results = send_batch(queue, [_read(entry, trace) for entry in given])
        names = [entry.get("id", str(place)) for place, entry in enumerate(given)]
        return Response({"results": [answers.sent(*pair) for pair in zip(names, results, strict=True)]})


def _read(entry: dict[str, Any], trace: str | None) -> NewMessage | Refused:
    fields = {name: value for name, value in entry.items() if name != "id"}
    try:
        return NewMessage(**ENTRY.read(fields), trace_id=trace)
    except ValidationError as error:
        group_id = entry.get("group_id")
        return Refused(invalid_of(error), group_id if isinstance(group_id, str) else None)
