"""Many consumers of one queue: each message goes to one of them, and none is lost on its way to the next.

Real threads with real connections: a consumer passes over the rows that another one has locked.
"""

import time
import uuid
from collections import Counter
from collections.abc import Callable
from threading import Lock

from queues.maintenance import bury, promote
from queues.models import Outcome, Queue
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import Delivery, NewMessage
from tests.concurrency.ledger import ended, live, places
from tests.concurrency.together import PATIENCE, at_once

CONSUMERS = 16


def receive_all(queue: Queue) -> list[Delivery]:
    received: list[Delivery] = []
    while batch := receive(queue, 7):
        received += batch
    return received


def test_each_message_goes_to_one_of_them(make_queue: Callable[..., Queue]) -> None:
    queue = make_queue()
    sent = send_many(queue, [NewMessage("hello")] * 2000)
    received = at_once(*[lambda: receive_all(queue)] * CONSUMERS)
    assert Counter(delivery.id for batch in received for delivery in batch) == Counter(sent)
    assert sum(bool(batch) for batch in received) > 1


def test_they_share_what_a_few_of_them_do_not_want(make_queue: Callable[..., Queue]) -> None:
    """Leases end at once, some messages are acked and the others die: every single one is accounted for."""
    queue = make_queue(visibility_timeout=0, max_deliveries=3, queue_size=500)
    sent = send_many(queue, [NewMessage(str(number)) for number in range(500)])
    deliveries: Counter[uuid.UUID] = Counter()
    lock = Lock()
    deadline = time.monotonic() + PATIENCE

    def consume() -> set[uuid.UUID]:
        acked = set()
        while live(queue):
            assert time.monotonic() < deadline, "some messages never leave the queue"
            batch = receive(Queue.objects.get(pk=queue.pk), 5)
            with lock:
                deliveries.update(delivery.id for delivery in batch)
            acked |= ack_some(queue, batch)
        return acked

    def maintain() -> None:
        promote.run_once(20)
        bury.run_once(20)

    acked = Counter(uid for batch in at_once(*[consume] * 8, meanwhile=[maintain] * 2) for uid in batch)
    dlq = Queue.objects.get(pk=queue.pk).dlq
    dead = Counter(live(dlq))

    assert acked + dead == Counter(sent)
    assert ended(queue, Outcome.ACKED) == acked
    assert ended(queue, Outcome.DEAD_LETTERED) == dead
    assert {deliveries[uid] for uid in dead} == {3}
    assert max(deliveries.values()) == 3
    assert places(queue) == (0, 500)
    assert sum(places(dlq)) == 500


def ack_some(queue: Queue, batch: list[Delivery]) -> set[uuid.UUID]:
    """One in three numbers is wanted; its lease may have gone to another meanwhile, who then acks it."""
    wanted = [delivery for delivery in batch if int(delivery.data) % 3 == 0]
    results = ack(queue, [delivery.receipt_handle for delivery in wanted]) if wanted else []
    return {delivery.id for delivery, result in zip(wanted, results, strict=True) if result.error is None}
