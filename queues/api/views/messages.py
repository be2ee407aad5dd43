"""Messages on their way: sent, received, acknowledged. The busiest calls of the service."""

from rest_framework.request import Request
from rest_framework.response import Response

from queues import ids
from queues.api import answers
from queues.api.calls import Call
from queues.api.serializers.message import (
    AckedMessages,
    AckMessages,
    MessageId,
    ReceivedMessages,
    ReceivedOne,
    ReceiveMessages,
    ReceiveQuery,
    SendMessage,
)
from queues.api.views.door import Door
from queues.errors import MessageTooLarge, QueueFull, QueueNotFound
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage

# A cache that answered a receive would hand one message to two consumers.
NO_STORE = {"Cache-Control": "no-store"}


class MessagesView(Door):
    tag = "messages"
    calls = {
        "send_message": Call(
            scope="send",
            body=SendMessage(),
            answers={201: MessageId()},
            problems=(QueueNotFound, MessageTooLarge, QueueFull),
        ),
        "receive_message": Call(
            scope="receive", query=ReceiveQuery(), answers={200: ReceivedOne}, problems=(QueueNotFound,)
        ),
        "receive_messages": Call(
            scope="receive",
            body=ReceiveMessages(),
            answers={200: ReceivedMessages()},
            problems=(QueueNotFound,),
        ),
        "ack_messages": Call(
            scope="receive", body=AckMessages(), answers={200: AckedMessages()}, problems=(QueueNotFound,)
        ),
    }

    def send_message(self, request: Request, queue_id: str) -> Response:
        """Send a message.

        It is durable when this answers.
        """
        queue = self.queue()
        uid = send(queue, NewMessage(**self.body()))
        return Response({"message_id": ids.message_id(uid)}, 201)

    def receive_message(self, request: Request, queue_id: str) -> Response:
        """Receive the next message.

        It is hidden from others for `visibility_timeout` seconds; acknowledge it before they are over. With
        `limit` the answer is a list.
        """
        queue = self.queue()
        limit = self.query.get("limit", 1)
        found = answers.received(queue, receive(queue, limit, self.query.get("visibility_timeout")))
        if "limit" in self.query:
            return Response({"messages": found}, headers=NO_STORE)
        return Response(found[0] if found else {"message": None}, headers=NO_STORE)

    def receive_messages(self, request: Request, queue_id: str) -> Response:
        """Receive several messages."""
        queue, wanted = self.queue(), self.body()
        deliveries = receive(queue, wanted.get("max_messages", 1), wanted.get("visibility_timeout"))
        return Response({"messages": answers.received(queue, deliveries)}, headers=NO_STORE)

    def ack_messages(self, request: Request, queue_id: str) -> Response:
        """Acknowledge messages by their receipt handles.

        Each handle gets its own answer, in order.
        """
        results = ack(self.queue(), self.body()["receipt_handles"])
        return Response({"results": [answers.acked(result) for result in results]})
