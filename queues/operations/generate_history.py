"""Writes made-up history into the log, for demonstrations and measurements of what reads it."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from queues import limits
from queues.errors import Conflict, Invalid
from queues.models import MessageLog, Queue, Team
from queues.operations import queues
from queues.operations.dlq_creation import hold_dlq_of
from queues.synthetic_history import HOUR, Story, Stretch, name_of, settings_of


class Written(NamedTuple):
    messages: int
    rows: int  # a message that died has several stays


def verified(story: Story, now: datetime | None = None) -> Story:
    limits.verify_range("queues", story.queues, limits.GENERATED_QUEUES)
    limits.verify_range("messages", story.messages, limits.GENERATED_MESSAGES)
    kept, now = settings.SIMPLEMQ_LOG_RETENTION_DAYS, now or timezone.now()
    limits.verify_range("days", story.days, (1, kept))
    if story.until > now:
        raise Invalid("Must not be in the future.", field="until")
    if story.since.date() < now.date() - timedelta(days=kept):
        raise Invalid(f"Begins earlier than the {kept} days for which the log is kept.", field="until")
    return story


def prepare(team: Team, story: Story, force: bool = False) -> list[Queue]:
    """The queues the story is of, each with a dead-letter queue; and the days of the log it fills."""
    names = [name_of(number) for number in range(story.queues)]
    existing = list(Queue.objects.live().filter(team=team, name__in=names))
    _refuse_dlqs(existing)
    if not force:
        _refuse_history_of(existing)
    known = {queue.name: queue for queue in existing}
    chosen = [
        known.get(name) or queues.create(team, name=name, **settings_of(number))[0]
        for number, name in enumerate(names)
    ]
    for queue in chosen:
        with transaction.atomic():
            queue.dlq = hold_dlq_of(queue)
    _add_days(story)
    return chosen


def write(chosen: Sequence[Queue], story: Story) -> Iterator[Written]:
    """Hour by hour, each a commit of its own: whoever stops listening leaves whole hours behind."""
    for stretch in story.stretches():
        yield Written(sum(stretch.messages), _write(chosen, stretch, story))


def _write(chosen: Sequence[Queue], stretch: Stretch, story: Story) -> int:
    own = [chosen[number] for number in stretch.queues]
    return MessageLog.objects.generate(own, stretch, until=story.until, lasting=HOUR)


def _refuse_dlqs(existing: list[Queue]) -> None:
    for queue in existing:
        if queue.is_dlq:
            raise Invalid(f"{queue.name} is a dead-letter queue: choose another team.", field="team")


def _refuse_history_of(existing: list[Queue]) -> None:
    found = MessageLog.objects.filter(queue_id__in=[queue.pk for queue in existing])
    taken = set(found.values_list("queue_id", flat=True)[:1]) if existing else set()
    for queue in existing:
        if queue.pk in taken:
            raise Conflict(f"The queue {queue.name} has history already: give --force to add to it.")


def _add_days(story: Story) -> None:
    """Rows of a day without a partition would fall into the default one and be moved out of it later."""
    wanted = {story.since.date() + timedelta(days=day) for day in range(story.days + 1)}
    for day in sorted(wanted - MessageLog.objects.days()):
        MessageLog.objects.add_day(day)
