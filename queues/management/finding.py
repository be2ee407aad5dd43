"""Queues as people name them on a command line: by id, or by name."""

from django.core.management.base import CommandError

from queues import ids
from queues.errors import QueueNotFound
from queues.models import Queue
from queues.operations.teams import find_team


def find_queue(text: str, team_name: str | None = None) -> Queue:
    uid = ids.decode("q", text)
    queues = Queue.objects.live().filter(**({"uid": uid} if uid else {"name": text})).select_related("team")
    if team_name is not None:
        queues = queues.filter(team=find_team(team_name))
    found = list(queues[:2])
    if len(found) > 1:
        raise CommandError(f"Several teams have a queue named {text}: say which with --team.")
    if not found:
        raise QueueNotFound(f"There is no queue {text}.")
    return found[0]


def find_dead_letter_queue(text: str, team_name: str | None = None) -> Queue:
    """The queue itself, or the dead-letter queue of one whose dead letters are meant."""
    queue = find_queue(text, team_name)
    return queue if queue.is_dlq or queue.dlq is None else queue.dlq
