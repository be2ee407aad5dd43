"""Fills a team with the demo's queues, by the operations that real producers and consumers use."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from queues import limits
from queues.demo import past, payloads
from queues.demo.scenes import SCENES, Cause, Scene
from queues.errors import Conflict
from queues.models import Action, Queue, RedriveTask, Team
from queues.operations import look, nack, queues, redrive, redrive_run, trash
from queues.operations.audit import audited
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import NewMessage

MESSAGES_AT_ONCE = 500
REDRIVEN, DISCARDED = 12, 6


def verify_room(team: Team) -> None:
    names = [scene.name for scene in SCENES]
    taken = Queue.objects.live().filter(team=team, name__in=names).values_list("name", flat=True).first()
    if taken:
        raise Conflict(f"The team {team.name} has a queue named {taken} already: give another team.")


def fill(team: Team, user: User, dead_letters: int, rng: Random, now: datetime) -> Iterator[int]:
    """Fill one queue after the other; yields how many dead letters have been made since the last time."""
    for scene in SCENES:
        queue, _ = queues.create(team, name=scene.name, description=scene.description, **scene.settings)
        deaths = []
        for died_at, cause in _deaths(scene, dead_letters, rng, now):
            _let_die(queue, scene, cause, rng, died_at)
            deaths.append(died_at)
            yield 1
        queue = queues.find(team, queue.public_id)
        if queue.dlq:
            _work_as_an_operator(user, queue.dlq)
            past.grow(queue.dlq, deaths, now)
        _fill_up(queue, scene, rng, now)
        past.tell(queue, scene, deaths, rng, now)
        if scene.paused:
            with audited(user, Action.QUEUE_PAUSED, queue=queue, reason="The mail provider moves tonight."):
                queues.pause(queue)


def _deaths(scene: Scene, dead_letters: int, rng: Random, now: datetime) -> list[tuple[datetime, Cause]]:
    """When letters die and of what, the oldest first: their ids are drawn in this order."""
    wanted = dead_letters * scene.dead_share // 100
    deaths = [
        (now - timedelta(hours=rng.uniform(cause.ended_hours_ago, cause.began_hours_ago)), cause)
        for cause in scene.causes
        for _ in range(max(1, wanted * cause.share // 100))
    ]
    return sorted(deaths, key=lambda death: death[0])


@transaction.atomic
def _let_die(queue: Queue, scene: Scene, cause: Cause, rng: Random, died_at: datetime) -> None:
    """In one commit: maintenance would take a lease of yesterday for one that has run out."""
    sent_at = died_at - timedelta(minutes=2)
    send_many(queue, [_message(scene, rng, max_deliveries=cause.attempts)], sent_at)
    for attempt in range(1, cause.attempts + 1):
        at = sent_at + (died_at - sent_at) * attempt / cause.attempts
        [delivery] = receive(queue, visibility_timeout=0 if cause.type is None else None, now=at)
        if cause.type is not None:
            error = {"type": cause.type, "message": cause.message.format(n=rng.randrange(100, 30_000))}
            error |= {"stack": cause.stack} if cause.stack else {}
            nack.nack(
                queue, delivery.message_id, delivery.receipt_handle, delay_seconds=0, error=error, now=at
            )
    if cause.type is None:  # nobody gave it back: the next one who asks finds it used up
        receive(queue, now=died_at)


def _work_as_an_operator(user: User, dlq: Queue) -> None:
    """Some letters are sent back and some thrown away, so that history, audit and trash show something."""
    oldest = [letter.public_id for letter in look.browse(dlq).order_by("id")[: REDRIVEN + DISCARDED]]
    name = user.get_username()
    with audited(user, Action.REDRIVE_STARTED, queue=dlq, reason="The gateway is back.") as detail:
        task = redrive.start(dlq, filter={"message_ids": oldest[:REDRIVEN]}, requested_by=name)
        while not redrive_run.advance(task.pk, limits.MAX_PAGE_SIZE).idle:
            pass
        detail.update(redrive=task.public_id, moved=RedriveTask.objects.get(pk=task.pk).moved)
    reason = "Test orders of the load test."
    thrown = oldest[REDRIVEN:]
    with audited(user, Action.MESSAGE_DISCARDED, queue=dlq, reason=reason, ids=thrown) as detail:
        detail["count"] = trash.discard(dlq, thrown, by=name, reason=reason)


def _fill_up(queue: Queue, scene: Scene, rng: Random, now: datetime) -> None:
    """What waits and what is being worked on right now."""
    waiting = scene.ready + scene.in_flight
    for begin in range(0, waiting, MESSAGES_AT_ONCE):
        count = min(MESSAGES_AT_ONCE, waiting - begin)
        entered = now - timedelta(seconds=scene.oldest_seconds * (1 - begin / waiting))
        send_many(queue, [_message(scene, rng) for _ in range(count)], entered)
    if scene.in_flight:
        receive(queue, scene.in_flight, visibility_timeout=limits.VISIBILITY_TIMEOUT[1] // 4, now=now)
    if scene.delayed:
        send_many(queue, [_message(scene, rng, delay_seconds=1_800) for _ in range(scene.delayed)], now)


def _message(scene: Scene, rng: Random, **how: Any) -> NewMessage:
    tenant = rng.choice(payloads.TENANTS)
    data = payloads.written(scene.body, rng)
    return NewMessage(data, attributes={"tenant": tenant}, group_id=tenant, **how)
