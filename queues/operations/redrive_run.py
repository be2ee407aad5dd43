"""One batch of a redrive: the messages move together with the task's counters, in one transaction.

There is no other bookkeeping. Whoever dies half way leaves everything as it was before the batch.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import DateTimeField, QuerySet, Value
from django.db.models.functions import Now

from queues import limits
from queues.events import emit
from queues.models import (
    ErrorGroup,
    Message,
    MessageLog,
    Outcome,
    Queue,
    QueueSlot,
    RedriveStatus,
    RedriveTask,
)
from queues.models.error_group import OUT
from queues.operations import canary, pace, redrive_filters
from queues.operations.redrive_filters import MOVES, SOURCE_DELETED

# How far one batch looks for messages that match, and how many it may find on top that have to stay.
LOOK_AHEAD = 10_000
LOOK_BESIDE = 100
LOWEST, HIGHEST = uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)


class Progress(NamedTuple):
    moved: int = 0
    idle: bool = True  # nothing to do just now: finished, at its rate, watching, or waiting for room


class Letter(NamedTuple):
    """A dead letter that matches, held until the transaction ends."""

    id: uuid.UUID
    target: Queue | None
    fate: str


@transaction.atomic
def advance(task_id: int, batch: int, now: datetime | None = None) -> Progress:
    """Move the next messages of a running redrive. Idle, too, while another process is at it."""
    running = RedriveTask.objects.filter(pk=task_id, status=RedriveStatus.RUNNING)
    clock = Value(now, DateTimeField()) if now else Now()
    task = running.select_for_update(skip_locked=True).annotate(clock=clock).first()
    if task is None:
        return Progress()
    progress = _advance(task, batch, task.clock, now)
    task.save()
    return progress


def finish(task: RedriveTask, status: RedriveStatus, at: datetime, reason: str = "") -> None:
    task.status, task.finished_at, task.reason = status, at, reason
    emit("redrive.finished", task=task)


def candidates(task: RedriveTask, upto: uuid.UUID, now: datetime | None) -> QuerySet[Message, Any]:
    """The next dead letters that match, in id order, locked. With both bounds it is a scan of the key."""
    rows = redrive_filters.matching(task.dlq, task.filter, task.cut_off)
    window = rows.filter(id__gt=task.cursor or LOWEST, id__lte=upto).order_by("id")
    fated = window.annotate(fate=redrive_filters.fate(task.filter, now)).select_for_update()
    return fated.values_list("id", "source_queue_id", "fate")


def _advance(task: RedriveTask, batch: int, clock: datetime, now: datetime | None) -> Progress:
    if gone := _what_is_gone(task):
        finish(task, RedriveStatus.FAILED, clock, gone)
        return Progress()
    if too_many := canary.verdict(task):
        finish(task, RedriveStatus.STOPPED, clock, too_many)
        return Progress()
    if not canary.go_on(task, clock):
        return Progress()
    room = min(batch, pace.room(task, clock), canary.room(task), _limit_left(task))
    return _move_up_to(room, min(batch, room + LOOK_BESIDE), task, clock, now) if room > 0 else Progress()


def _move_up_to(room: int, look: int, task: RedriveTask, clock: datetime, now: datetime | None) -> Progress:
    upto = _window_end(task)
    rows = list(candidates(task, upto, now)[:look])
    letters = list(_first(room, _letters(task, rows)))
    fitting = _take_places(letters)
    seen = _before_the_first_without_a_place(letters, fitting)
    done = len(rows) < look and len(seen) == len(rows)  # with all that matches in this window
    _move(task, [letter for letter in letters if letter.id in fitting], now)
    _note(task, len(fitting), seen, upto if done else None, clock)
    task.reason = _waiting_for(letters[len(seen) :], fitting)
    if (done and upto == HIGHEST) or _limit_left(task) <= 0:
        finish(task, RedriveStatus.COMPLETED, clock)
    idle = task.status != RedriveStatus.RUNNING or not (seen or fitting or done)
    return Progress(len(fitting), idle)


def _what_is_gone(task: RedriveTask) -> str:
    if task.dlq.deleted_at is not None:
        return "The dead-letter queue was deleted."
    return "The target queue was deleted." if task.target and task.target.deleted_at is not None else ""


def _limit_left(task: RedriveTask) -> int:
    return limits.REDRIVE_LIMIT[1] if task.limit is None else task.limit - task.moved


def _window_end(task: RedriveTask) -> uuid.UUID:
    """How far this batch looks. Messages that are named are looked up, however many lie between them."""
    if "message_ids" in task.filter:
        return HIGHEST
    return RedriveTask.objects.id_ahead(task, LOOK_AHEAD) or HIGHEST


def _letters(task: RedriveTask, rows: list[tuple[uuid.UUID, int, str]]) -> Iterator[Letter]:
    """Each with the queue it goes to, which nobody can delete until the transaction ends."""
    wanted = {task.target_id or source_id for _, source_id, fate in rows if fate == MOVES}
    queues = {pk: Queue.objects.hold(pk) for pk in sorted(wanted)}
    for uid, source_id, fate in rows:
        target = queues.get(task.target_id or source_id)
        yield Letter(uid, target, SOURCE_DELETED if fate == MOVES and target is None else fate)


def _first(room: int, letters: Iterable[Letter]) -> Iterator[Letter]:
    """Up to the last one there is room for."""
    for letter in letters:
        if letter.fate == MOVES:
            if room == 0:
                return
            room -= 1
        yield letter


def _take_places(letters: list[Letter]) -> set[uuid.UUID]:
    """The letters that move: each has a place in its target. Places are taken in the order of the queues."""
    fitting: set[uuid.UUID] = set()
    for target, message_ids in _by_target(letters):
        fitting.update(message_ids[: QueueSlot.objects.take(target, len(message_ids))])
    return fitting


def _by_target(letters: list[Letter]) -> list[tuple[Queue, list[uuid.UUID]]]:
    moving = [letter for letter in letters if letter.fate == MOVES]
    targets = {letter.target.pk: letter.target for letter in moving if letter.target}
    return [
        (targets[pk], [letter.id for letter in moving if letter.target == targets[pk]])
        for pk in sorted(targets)
    ]


def _before_the_first_without_a_place(letters: list[Letter], fitting: set[uuid.UUID]) -> list[Letter]:
    """Those the task has done with. It comes back to the others when there is room."""
    for place, letter in enumerate(letters):
        if letter.fate == MOVES and letter.id not in fitting:
            return letters[:place]
    return letters


def _move(task: RedriveTask, letters: list[Letter], now: datetime | None) -> None:
    if not letters:
        return
    dlq, moving = task.dlq, [letter.id for letter in letters]
    MessageLog.objects.append(dlq, moving, Outcome.REDRIVEN, now, redrive_id=task.pk)
    ErrorGroup.objects.append(dlq.pk, moving, OUT, now=now)
    for target, message_ids in _by_target(letters):
        Message.objects.retry(
            dlq, target, message_ids, event="redriven", by=task.requested_by, redrive_id=task.pk, now=now
        )
        emit("message.moved_in", queue=target, count=len(message_ids), outcome=Outcome.REDRIVEN)
    QueueSlot.objects.give_back(dlq, len(moving))
    emit("message.moved_out", queue=dlq, count=len(moving), outcome=Outcome.REDRIVEN)


def _note(
    task: RedriveTask, moved: int, seen: list[Letter], window_end: uuid.UUID | None, clock: datetime
) -> None:
    task.moved += moved
    task.skipped = dict(Counter(task.skipped) + Counter(x.fate for x in seen if x.fate != MOVES))
    if window_end or seen:
        task.cursor = window_end or seen[-1].id
    pace.note(task, moved, clock)
    canary.note(task, clock)


def _waiting_for(letters: list[Letter], fitting: set[uuid.UUID]) -> str:
    """Why it does not go on at once, if targets are full."""
    stuck = [letter for letter in letters if letter.fate == MOVES and letter.id not in fitting]
    names = sorted({letter.target.name for letter in stuck if letter.target})
    return f"Waiting for room in {', '.join(names)}."[:200] if names else ""
