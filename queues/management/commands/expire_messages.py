"""`manage.py expire_messages`: what the expire duty does, at once and until nothing is left."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone
from tqdm import tqdm

from queues.management import interruption
from queues.management.finding import find_queue
from queues.management.refusals import in_one_sentence
from queues.models import Queue
from queues.operations import expiry

BATCH = 1_000


class Command(BaseCommand):
    help = "Remove messages that outlived their retention or their own time to live, until none is left."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queue", action="append", help="name or id; may be repeated (default: all)")
        parser.add_argument("--team", help="the team that has the queues, when several have one of that name")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            queues = _queues(options["queue"], options["team"])
        expired = _expire(queues)
        if options["format"] == "json":
            self.stdout.write(json.dumps({"expired": expired}))
        else:
            self.stdout.write(f"Expired {expired} message{'' if expired == 1 else 's'}.")


def _queues(names: list[str] | None, team: str | None) -> list[Queue]:
    if names is None:
        return list(Queue.objects.live().order_by("pk"))
    return [find_queue(name, team) for name in names]


def _expire(queues: list[Queue]) -> int:
    """What was over age when it began; a second look would find more for ever in a busy service."""
    now, expired = timezone.now(), 0
    with (
        interruption.as_a_request() as interrupted,
        tqdm(unit=" messages", disable=None, file=sys.stderr) as bar,
    ):
        for queue in queues:
            while not interrupted.is_set() and (removed := _expire_batch(queue, now)):
                expired += removed
                bar.update(removed)
    return expired


def _expire_batch(queue: Queue, now: Any) -> int:
    queue.refresh_from_db()  # its retention may be raised while this goes on
    return expiry.expire(queue, BATCH, now) + expiry.remove_expired(queue, BATCH, now)
