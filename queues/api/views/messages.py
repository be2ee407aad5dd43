"""Messages on their way: sent, received, acknowledged. The busiest calls of the service."""

from collections.abc import Callable
from functools import partial
from itertools import chain, repeat
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import answers
from queues.api.calls import Call
from queues.api.hang_up import hung_up
from queues.api.serializers.message import (
    AckedMessages,
    AckMessages,
    ReceivedMessages,
    ReceivedOne,
    ReceiveMessages,
    ReceiveQuery,
    SendMessage,
    StoredMessage,
)
from queues.api.trace_context import trace_id
from queues.api.views.door import Door
from queues.errors import MessageTooLarge, QueueFull, QueueNotFound, TooManyWaiting
from queues.models import Queue
from queues.operations.ack import ack
from queues.operations.long_poll import receive_or_wait
from queues.operations.send import send_one
from queues.values import NewMessage

# A cache that answered a receive would hand one message to two consumers.
NO_STORE = {"Cache-Control": "no-store"}


class MessagesView(Door):
    tag = "messages"
    calls = {
        "send_message": Call(
            scope="send",
            body=SendMessage(),
            answers={201: StoredMessage()},
            problems=(QueueNotFound, MessageTooLarge, QueueFull),
        ),
        "receive_message": Call(
            scope="receive",
            query=ReceiveQuery(),
            answers={200: ReceivedOne},
            problems=(QueueNotFound, TooManyWaiting),
        ),
        "receive_messages": Call(
            scope="receive",
            body=ReceiveMessages(),
            answers={200: ReceivedMessages()},
            problems=(QueueNotFound, TooManyWaiting),
        ),
        "ack_messages": Call(
            scope="receive", body=AckMessages(), answers={200: AckedMessages()}, problems=(QueueNotFound,)
        ),
    }

    def send_message(self, request: Request, queue_id: str) -> Response:
        """Send a message.

        It is durable when this answers. On a FIFO queue the answer has its place in the line.
        """
        queue = self.queue()
        message = send_one(queue, NewMessage(**self.body(), trace_id=trace_id(request)))
        return Response(answers.stored(message), 201)

    def receive_message(self, request: Request, queue_id: str) -> Response:
        """Receive the next message.

        It is hidden from others for `visibility_timeout` seconds, and on a FIFO queue all of its group is;
        acknowledge it before they are over. With `limit` the answer is a list. With `wait_seconds` it waits
        for a message when there is none; what has changed meanwhile holds, so the answer may be that the key
        is revoked or the queue deleted.
        """
        found = self._receive(self.query.get("limit", 1), self.query)
        if "limit" in self.query:
            return Response({"messages": found}, headers=NO_STORE)
        return Response(found[0] if found else {"message": None}, headers=NO_STORE)

    def receive_messages(self, request: Request, queue_id: str) -> Response:
        """Receive several messages.

        It waits for the first one, not until there are `max_messages` of them.
        """
        wanted = self.body()
        found = self._receive(wanted.get("max_messages", 1), wanted)
        return Response({"messages": found}, headers=NO_STORE)

    def ack_messages(self, request: Request, queue_id: str) -> Response:
        """Acknowledge messages by their receipt handles.

        Each handle gets its own answer, in order.
        """
        results = ack(self.queue(), self.body()["receipt_handles"])
        return Response({"results": [answers.acked(result) for result in results]})

    def _receive(self, limit: int, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        queue, deliveries = receive_or_wait(
            self._found_each_time(),
            limit,
            wanted.get("visibility_timeout"),
            wanted.get("wait_seconds"),
            by=self.key.pk,
            is_gone=partial(hung_up, self.request._request),
        )
        return answers.received(queue, deliveries)

    def _found_each_time(self) -> Callable[[], Queue]:
        """The key has just been checked: only later looks have to check it again."""
        looks = chain([self.queue], repeat(self.queue_anew))
        return lambda: next(looks)()
