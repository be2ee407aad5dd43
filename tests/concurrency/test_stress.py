"""Everything at once: eight users do at random whatever can be done to a few queues, bounded and not.

Real threads with real connections: no test can list all the ways in which two transactions may meet. The
dice are seeded; the order in which the threads come to run is the machine's.
"""

import time
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from queues.maintenance import deleted_queues, log_partitions, slots
from queues.models import DiscardedMessage, Message, Queue, State, Team
from queues.operations.ack import ack
from queues.operations.receive import receive
from tests.concurrency.chaos import User
from tests.concurrency.ledger import finished, places
from tests.concurrency.together import at_once

USERS = 8


@pytest.fixture(autouse=True)
def _short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resized queues are counted again while everybody is at it. Nothing anybody does takes this long."""
    monkeypatch.setattr(slots, "GRACE", timedelta(seconds=3))


@pytest.mark.parametrize(
    ("seed", "seconds"), [("one", 10), pytest.param("two", 30, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_nothing_is_lost_nothing_is_doubled_and_nobody_blocks_anybody(
    team: Team, seed: str, seconds: float
) -> None:
    log_partitions.run_once(100)
    users = [User(team, f"{seed} {number}") for number in range(USERS)]
    deadline = time.monotonic() + seconds

    def play(user: User) -> None:
        while time.monotonic() < deadline:
            user.do_something()

    at_once(*[lambda user=user: play(user) for user in users])

    clean_up()
    deliver_all_lines()
    assert held_back() == {}
    sent = [uid for user in users for uid in user.sent]
    assert len(sent) > 100
    assert Counter(still_there()) + finished(sent) == Counter(sent)
    assert wrong_places() == {}


def clean_up() -> None:
    while deleted_queues.run_once(1000):
        pass
    slots.run_once(1000, timezone.now() + timedelta(seconds=20))


def still_there() -> list[object]:
    """Every message that is left, in the trash, too; none is in a queue that is not."""
    queue_ids = Queue.objects.live().values("pk")
    assert not Message.objects.exclude(queue_id__in=queue_ids).exists()
    discarded = DiscardedMessage.objects.values_list("message_id", flat=True)
    return [*Message.objects.values_list("id", flat=True), *discarded]


def lines() -> list[Queue]:
    return list(Queue.objects.live().filter(mode="fifo"))


def deliver_all_lines() -> None:
    """When all leases are over, every group of a FIFO queue can be delivered to its end."""
    later = timezone.now() + timedelta(hours=1)
    while deliveries := [
        (queue, delivery) for queue in lines() for delivery in receive(queue, 100, now=later)
    ]:
        for queue, delivery in deliveries:
            ack(queue, [delivery.receipt_handle], later)


def held_back() -> dict[str, int]:
    """Messages of FIFO queues that nobody could receive; exhausted ones wait for room among the dead."""
    waiting = Message.objects.exclude(state=State.EXHAUSTED)
    counts = {queue.name: waiting.filter(queue_id=queue.pk).count() for queue in lines()}
    return {name: count for name, count in counts.items() if count}


def wrong_places() -> dict[str, tuple[int, int]]:
    """Bounded queues whose messages and free places do not add up to their size."""
    bounded = Queue.objects.live().exclude(queue_size=None)
    return {queue.name: places(queue) for queue in bounded if sum(places(queue)) != queue.queue_size}
