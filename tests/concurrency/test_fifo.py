"""FIFO queues with many producers and consumers: each group in order, to one consumer at a time.

Real threads with real connections: the order of numbers drawn is not the order of commits, and what one
consumer has leased another may not see yet.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

import pytest

from queues.errors import LeaseOver, MessageNotFound
from queues.models import FifoGroup, Message, MessageLog, Outcome, Queue
from queues.operations.ack import ack
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import Delivery, NewMessage
from tests.concurrency.ledger import ended, live
from tests.concurrency.together import PATIENCE, at_once

GROUPS = [f"customer {number}" for number in range(12)]


@pytest.fixture
def queue(make_queue: Callable[..., Queue]) -> Queue:
    return make_queue("orders.fifo", mode="fifo", max_deliveries=None, visibility_timeout=1)


class Lease(NamedTuple):
    """What a consumer was given of one group, and from when until when."""

    group: str
    began: datetime
    until: datetime
    deliveries: list[Delivery]


def leases_of(queue: Queue, limit: int) -> list[Lease]:
    by_group = defaultdict(list)
    for delivery in receive(queue, limit):
        by_group[str(delivery.group_id)].append(delivery)
    return [_lease(queue, group, deliveries) for group, deliveries in by_group.items()]


def _lease(queue: Queue, group: str, deliveries: list[Delivery]) -> Lease:
    until = deliveries[0].invisible_until
    return Lease(group, until - timedelta(seconds=queue.visibility_timeout), until, deliveries)


def finish(queue: Queue, lease: Lease) -> None:
    """One after the other, as long as there is time; the next consumer may have been here already."""
    for delivery in lease.deliveries:
        [result] = ack(queue, [delivery.receipt_handle])
        if result.error:
            assert isinstance(result.error, LeaseOver | MessageNotFound)
            return


class TestProducers:
    def test_places_in_a_line_are_in_the_order_of_commits(self, queue: Queue) -> None:
        """Nobody ever sees a message appear before one that was there already. Batches name the groups in any
        order, so whoever locked them as they come would soon wait in a circle."""
        seen: dict[str, list[int]] = {group: [] for group in GROUPS}

        def produce(seed: int) -> None:
            dice = random.Random(seed)
            for _ in range(30):
                groups = dice.sample(GROUPS, 5)
                send_many(queue, [NewMessage("x", group_id=group) for group in groups])

        def observe() -> None:
            rows = Message.objects.filter(queue_id=queue.pk).order_by("sequence")
            for group, sequence in rows.values_list("group_id", "sequence"):
                if sequence not in known:
                    known.add(sequence)
                    seen[group].append(sequence)

        known: set[int] = set()
        at_once(*[lambda seed=seed: produce(seed) for seed in range(10)], meanwhile=[observe])
        observe()
        assert len(known) == 10 * 30 * 5
        assert seen == {group: sorted(sequences) for group, sequences in seen.items()}


class TestConsumers:
    def test_each_group_goes_to_one_at_a_time_and_in_order(self, queue: Queue) -> None:
        """Some consumers die with what they hold, and their leases run out; producers go on meanwhile."""
        sent = []
        sent += send_many(queue, [NewMessage("x", group_id=group) for group in GROUPS * 10])
        leases: list[Lease] = []
        deadline = time.monotonic() + PATIENCE

        def produce() -> None:
            for _ in range(10):
                sent.extend(send_many(queue, [NewMessage("x", group_id=group) for group in GROUPS]))

        def consume(seed: int) -> None:
            dice = random.Random(seed)
            while live(queue):
                assert time.monotonic() < deadline, "some messages never leave the queue"
                for lease in leases_of(queue, dice.choice([1, 3, 20])):
                    leases.append(lease)
                    if dice.random() < 0.9:
                        finish(queue, lease)

        at_once(produce, *[lambda seed=seed: consume(seed) for seed in range(10)])
        assert ended(queue, Outcome.ACKED) == dict.fromkeys(sent, 1)
        assert_one_at_a_time(queue, leases)
        assert_in_order(queue)

    def test_nothing_is_left_of_groups_that_are_done(self, queue: Queue) -> None:
        def work(seed: int) -> None:
            for number in range(20):
                send_many(queue, [NewMessage("x", group_id=f"customer {number % 3}")])
                for lease in leases_of(queue, 5):
                    finish(queue, lease)

        at_once(*[lambda seed=seed: work(seed) for seed in range(8)])
        deadline = time.monotonic() + PATIENCE
        while live(queue):
            assert time.monotonic() < deadline, "some messages are never delivered"
            for lease in leases_of(queue, 100):
                finish(queue, lease)
        assert receive(queue) == []
        assert not FifoGroup.objects.exists()


def assert_one_at_a_time(queue: Queue, leases: list[Lease]) -> None:
    """A lease of a group ends, by its last ack or because its time is over, before the next one begins."""
    log = MessageLog.objects.filter(queue_id=queue.pk, outcome=Outcome.ACKED)
    acked = {
        uid: (began, at)
        for uid, began, at in log.values_list("message_id", "last_delivered_at", "finished_at")
    }

    def end(lease: Lease) -> datetime:
        stays = [acked[delivery.id] for delivery in lease.deliveries]
        return max(at if began == lease.began else lease.until for began, at in stays)

    assert len(leases) > len(GROUPS)  # one receive may have had all of a group, not of every group
    for group in GROUPS:
        own = sorted((lease for lease in leases if lease.group == group), key=lambda lease: lease.began)
        for before, then in pairwise(own):
            assert end(before) <= then.began


def assert_in_order(queue: Queue) -> None:
    """Message ids are drawn with the places in the line, so their order is the line's."""
    log = MessageLog.objects.filter(queue_id=queue.pk, outcome=Outcome.ACKED).order_by("finished_at")
    for group in GROUPS:
        done = list(log.filter(group_id=group).values_list("message_id", flat=True))
        assert done == sorted(done)
