"""A past for queues to have, made by the service's own operations at times of our choosing."""

import random
from datetime import datetime, timedelta

from django.utils import timezone

from queues.maintenance import bury, expire, promote
from queues.models import Queue
from queues.operations.ack import ack
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import Delivery, NewMessage

# A full hour, so that buckets of every size begin there; what happens in the hour after it is long settled.
START = timezone.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=3)
TENANTS = ("acme", "globex", "initech", None)
ERRORS = ("Timeout", "ValueError")


def after(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def play(queue: Queue, start: datetime, minutes: int, seed: int) -> None:
    """Producers and consumers who do everything the service allows, a few times a minute."""
    chance = random.Random(seed)
    held: list[Delivery] = []
    now = start
    while now < start + timedelta(minutes=minutes):
        now += timedelta(seconds=chance.uniform(1, 25))
        for _ in range(chance.randint(0, 3)):
            send(queue, _message(chance), now)
        if chance.random() < 0.8:
            held += receive(queue, limit=chance.randint(1, 3), now=now)
        chance.shuffle(held)
        while held and chance.random() < 0.6:
            _let_go(queue, held.pop(), chance, now + timedelta(seconds=chance.uniform(0, 1)))
        if chance.random() < 0.2:
            maintain(now)


def maintain(now: datetime) -> None:
    for duty in (promote, bury, expire):
        duty.run_once(1_000, now)


def _message(chance: random.Random) -> NewMessage:
    return NewMessage(
        "x" * chance.randint(1, 100),
        group_id=chance.choice(TENANTS),
        delay_seconds=chance.choice([None, None, 40]),
        ttl_seconds=chance.choice([None, None, 300]),
    )


def _let_go(queue: Queue, delivery: Delivery, chance: random.Random, now: datetime) -> None:
    """Mostly it is done; some fail, and some are forgotten until their lease runs out."""
    fate = chance.random()
    if fate < 0.6:
        ack(queue, [delivery.receipt_handle], now)
    elif fate < 0.8 and now < delivery.invisible_until:
        error = {"type": chance.choice(ERRORS), "message": "it did not work"}
        nack(queue, delivery.message_id, delivery.receipt_handle, error=error, now=now)
