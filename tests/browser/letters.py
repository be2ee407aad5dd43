"""Dead letters as the tests of the browser need them, and where to look at them."""

from django.urls import reverse

from queues.models import Message, Queue
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage
from tests.factories import reloaded


def died(queue: Queue, *bodies: str, error: str = "GatewayTimeout", message: str = "no answer") -> Queue:
    """Messages that a consumer gave back with an error for the last time; answers where they are now."""
    for body in bodies:
        send(queue, NewMessage(body))
        [delivery] = receive(queue)
        nack(queue, delivery.message_id, delivery.receipt_handle, error={"type": error, "message": message})
    dlq = reloaded(queue).dlq
    assert dlq is not None
    return dlq


def dies_again(queue: Queue) -> None:
    """Whatever is in the queue fails once more."""
    while deliveries := receive(queue):
        for delivery in deliveries:
            nack(queue, delivery.message_id, delivery.receipt_handle)


def bodies_in(queue: Queue) -> list[str]:
    return list(Message.objects.filter(queue_id=queue.pk).order_by("id").values_list("data", flat=True))


def at(name: str, *args: str) -> str:
    return reverse(f"console:{name}", args=args)
