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
from queues.models import Message, Queue, Team
from tests.concurrency.chaos import User
from tests.concurrency.ledger import finished, places
from tests.concurrency.together import at_once

USERS = 8


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
    sent = [uid for user in users for uid in user.sent]
    assert len(sent) > 100
    assert Counter(still_there()) + finished(sent) == Counter(sent)
    assert wrong_places() == {}


def clean_up() -> None:
    while deleted_queues.run_once(1000):
        pass
    slots.run_once(1000, timezone.now() + timedelta(seconds=20))


def still_there() -> list[object]:
    """Every message that is left; none is in a queue that is not."""
    queue_ids = Queue.objects.live().values("pk")
    assert not Message.objects.exclude(queue_id__in=queue_ids).exists()
    return list(Message.objects.values_list("id", flat=True))


def wrong_places() -> dict[str, tuple[int, int]]:
    """Bounded queues whose messages and free places do not add up to their size."""
    bounded = Queue.objects.live().exclude(queue_size=None)
    return {queue.name: places(queue) for queue in bounded if sum(places(queue)) != queue.queue_size}
