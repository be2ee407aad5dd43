"""One careless user of a team's queues: does at random whatever can be done to them."""

import random
import uuid
from collections.abc import Callable
from contextlib import nullcontext, suppress

from django.db import transaction

from queues import ids
from queues.errors import QueueError
from queues.maintenance import DUTIES
from queues.models import Queue, Team
from queues.operations import queues, redrive, trash
from queues.operations.ack import ack, ack_by_id
from queues.operations.dead_letters import requeue
from queues.operations.lease import change_visibility
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import Delivery, NewMessage
from tests.concurrency.ledger import live

SETTINGS = {
    "small": {"queue_size": 40, "max_deliveries": 2},
    "large": {"max_deliveries": 2},
    "spare": {"max_deliveries": 3},
    "line": {"mode": "fifo", "max_deliveries": 2},
    "short-line": {"mode": "fifo", "queue_size": 40, "max_deliveries": 2},
}


class User:
    def __init__(self, team: Team, seed: str) -> None:
        self.team = team
        self.dice = random.Random(seed)
        self.sent: list[uuid.UUID] = []

    def do_something(self) -> None:
        """Refusals are part of the game; an error of the database is not."""
        action = self.dice.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        with suppress(QueueError):
            action(self)

    def queue(self) -> Queue:
        """Any queue there is, dead-letter queues included; those that were deleted are made again."""
        found = list(Queue.objects.live().filter(team=self.team))
        missing = SETTINGS.keys() - {queue.name for queue in found}
        if missing:
            name = self.dice.choice(sorted(missing))
            return queues.create(self.team, name=name, **SETTINGS[name])[0]
        return self.dice.choice(found)

    def dlq(self) -> Queue:
        """A dead-letter queue, if there is one."""
        dlqs = Queue.objects.live().filter(team=self.team, is_dlq=True)
        return self.dice.choice(list(dlqs) or [self.queue()])

    def send(self) -> None:
        queue, number = self.queue(), self.dice.randint(1, 5)
        if queue.is_fifo:
            messages = [NewMessage("hello", group_id=self.dice.choice("abcd")) for _ in range(number)]
        else:
            messages = [NewMessage("hello", delay_seconds=self.dice.choice([0, 0, 1]))] * number
        self.sent += send_many(queue, messages)

    def consume(self) -> None:
        queue = self.queue()
        for delivery in receive(queue, self.dice.randint(1, 5), self.dice.choice([0, 0, 0, 30])):
            with suppress(QueueError):
                self.deal_with(queue, delivery)

    def deal_with(self, queue: Queue, delivery: Delivery) -> None:
        message_id, handle = delivery.message_id, delivery.receipt_handle
        match self.dice.randrange(6):
            case 0:
                ack(queue, [handle])
            case 1:
                ack_by_id(queue, message_id)
            case 2:
                nack(queue, message_id, handle, reason="no luck")
            case 3:
                change_visibility(queue, message_id, handle, self.dice.choice([0, 30]))

    def bring_back(self) -> None:
        dlq = self.dlq()
        dead = live(dlq)
        if dead:
            requeue(dlq, ids.message_id(self.dice.choice(dead)))

    def bring_all_back(self) -> None:
        task = redrive.start(self.dlq())
        if self.dice.random() < 0.3:
            redrive.undo(task)

    def throw_away(self) -> None:
        queue = self.queue()
        some = [ids.message_id(uid) for uid in live(queue)[:10]]
        if trash.discard(queue, some, by="chaos"):
            trash.restore(queue, some)

    def change(self) -> None:
        dlq = self.dice.choice([None, self.queue()])
        changes = [{"queue_size": size} for size in (20, 40, 60, None)] + [{"dlq": dlq}]
        queues.update(self.queue(), **self.dice.choice(changes))

    def purge(self) -> None:
        """By a program, or by a person: then it is one transaction with its entry in the audit."""
        with transaction.atomic() if self.dice.random() < 0.5 else nullcontext():
            queues.purge(self.queue())

    def delete(self) -> None:
        queues.delete(self.queue(), with_dlq=self.dice.random() < 0.5)

    def maintain(self) -> None:
        self.dice.choice(DUTIES).run_once(20, None)


# Of a thousand things done, so many are these.
ACTIONS: dict[Callable[[User], None], int] = {
    User.send: 300,
    User.consume: 450,
    User.bring_back: 50,
    User.bring_all_back: 20,
    User.throw_away: 10,
    User.change: 15,
    User.purge: 5,
    User.delete: 10,
    User.maintain: 150,
}
