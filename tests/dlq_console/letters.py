"""What several tests of the console need: letters that died of something, and text that means harm."""

from queues.models import Message, Queue
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import ready_message

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>{{ 7|add:7 }}{% csrf_token %}\u202e'


def died(queue: Queue, data: str, error: str = "TimeoutError", message: str = "no answer") -> Message:
    """A message that a consumer gave back with an error, for the last time."""
    ready_message(queue, data)
    [delivery] = receive(queue)
    nack(queue, delivery.message_id, delivery.receipt_handle, error={"type": error, "message": message})
    return Message.objects.get(id=delivery.id)


def assert_harmless(page: str) -> None:
    """The hostile text is there, and it is only text."""
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "\u202e" not in page
    assert "style=" not in page
