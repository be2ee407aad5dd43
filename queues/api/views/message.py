"""One message, by its id."""

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import answers
from queues.api.calls import Call
from queues.api.serializers.message import DeletedMessage, DeleteMessage, MessageInFull, RequeuedMessage
from queues.api.views.door import Door
from queues.errors import (
    MessageNotFound,
    NotADeadLetter,
    QueueFull,
    QueueNotFound,
    ReceiptStale,
    SourceDeleted,
)
from queues.models import Queue
from queues.operations import look
from queues.operations.ack import ack_by_id
from queues.operations.dead_letters import requeue

NOT_FOUND = (QueueNotFound, MessageNotFound)


class MessageView(Door):
    tag = "messages"
    calls = {
        "get_message": Call(answers={200: MessageInFull()}, problems=NOT_FOUND),
        "delete_message": Call(
            scope="receive",
            query=DeleteMessage(),
            answers={200: DeletedMessage()},
            problems=(*NOT_FOUND, ReceiptStale),
        ),
        "requeue_message": Call(
            scope="manage",
            answers={200: RequeuedMessage()},
            problems=(*NOT_FOUND, NotADeadLetter, SourceDeleted, QueueFull),
        ),
    }

    def get_message(self, request: Request, queue_id: str, message_id: str) -> Response:
        """Look at a message; nothing happens to it.

        With what happened to it so far, and what keeps it from being delivered just now.
        """
        queue = self.queue()
        return Response(answers.in_full(queue, look.find_message(queue, message_id)))

    def delete_message(self, request: Request, queue_id: str, message_id: str) -> Response:
        """Acknowledge a message by its id: it is finished.

        With `receipt_handle` only the consumer who received it last can do so.
        """
        ack_by_id(self.queue(), message_id, self.query.get("receipt_handle"))
        return Response({"message_id": message_id, "deleted": True})

    def requeue_message(self, request: Request, queue_id: str, message_id: str) -> Response:
        """Move a dead letter back to the queue it died in.

        It is ready at once, with all its deliveries before it.
        """
        dlq = self.queue()
        self.body()
        self._require_use_of_source(dlq, message_id)
        target = requeue(dlq, message_id)
        return Response({"message_id": message_id, "requeued_to": target.public_id})

    def _require_use_of_source(self, dlq: Queue, message_id: str) -> None:
        """A key without a pattern may use every queue: its message need not be read twice."""
        if not self.key.queue_pattern:
            return
        message = look.find_message(dlq, message_id)
        source = Queue.objects.live().filter(pk=message.source_queue_id).first()
        if source is not None:
            self.require_use_of(source)
