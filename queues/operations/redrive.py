"""Redrives: dead letters go back in bulk, as a task that maintenance works off: see redrive_run.py"""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from queues import ids, limits
from queues.errors import Invalid, QueueNotFound, RedriveActive, RedriveNotFound
from queues.models import Queue, RedriveStatus, RedriveTask
from queues.operations import canary as ladder
from queues.operations import redrive_filters, redrive_plan, redrive_undo
from queues.operations.redrive_filters import Filter
from queues.operations.redrive_plan import Plan
from queues.operations.redrive_run import finish


def plan(
    dlq: Queue,
    *,
    target: Queue | None = None,
    filter: Filter | None = None,
    limit: int | None = None,
    cut_off: datetime | None = None,
    now: datetime | None = None,
) -> Plan:
    """What a redrive would do; nothing moves. Give its cut-off to `start`, and that is what happens.

    With the cut-off of an earlier plan it says what is left of that one.
    """
    kept = redrive_filters.verified(filter or {})
    _verify(dlq, target, limit, None)
    clock = _clock(dlq, now)
    return redrive_plan.count(
        dlq, kept, target=target, limit=limit, cut_off=min(clock, cut_off or clock), now=now
    )


def start(
    dlq: Queue,
    *,
    target: Queue | None = None,
    filter: Filter | None = None,
    limit: int | None = None,
    max_messages_per_second: int | None = None,
    canary: dict[str, Any] | None = None,
    requested_by: str = "",
    cut_off: datetime | None = None,
    now: datetime | None = None,
) -> RedriveTask:
    """Begin to move what matches back, in the order of its ids; finished at once when nothing does.

    What dies after the cut-off is left alone: by default that is now.
    """
    _verify(dlq, target, limit, max_messages_per_second)
    clock = _clock(dlq, now)
    task = RedriveTask(
        team_id=dlq.team_id,
        dlq=dlq,
        target=target,
        filter=redrive_filters.verified(filter or {}),
        limit=limit,
        max_messages_per_second=max_messages_per_second,
        canary=None if canary is None else ladder.verified(canary),
        requested_by=limits.verify_length("requested_by", requested_by, limits.REQUESTED_BY_LENGTH),
        cut_off=min(clock, cut_off or clock),
        started_at=clock,
    )
    return _begin(task, now)


def find(dlq: Queue, public_id: str) -> RedriveTask:
    uid = ids.decode("rd", public_id)
    task = tasks_of(dlq).filter(uid=uid).first() if uid else None
    if task is None:
        raise RedriveNotFound()
    return task


def tasks_of(dlq: Queue) -> QuerySet[RedriveTask]:
    """Its redrives, the latest first: those that run and those that ran."""
    return RedriveTask.objects.filter(dlq=dlq).order_by("-id")


@transaction.atomic
def cancel(task: RedriveTask, now: datetime | None = None) -> RedriveTask:
    """End a redrive before it is through. What moved stays moved; one that is over stays as it is."""
    task = RedriveTask.objects.select_for_update().get(pk=task.pk)
    if task.status == RedriveStatus.RUNNING:
        finish(task, RedriveStatus.CANCELLED, now or timezone.now())
        task.save()
    return task


def undo(task: RedriveTask, now: datetime | None = None, most: int | None = None) -> int:
    """Cancel a redrive and pull back what nobody received yet; answers how many messages that were.

    Places of both queues are held until the caller's transaction ends: with `most` it can be kept short.
    """
    cancel(task, now)
    return redrive_undo.pull_back_all(task, now, most)


def eta_seconds(task: RedriveTask, now: datetime | None = None) -> float | None:
    """How long it will still take at the speed it had so far; None when nobody can tell."""
    if task.status != RedriveStatus.RUNNING:
        return None
    done = task.moved + sum(task.skipped.values())
    elapsed = ((now or timezone.now()) - task.started_at).total_seconds()
    speed = done / elapsed if done and elapsed > 0 else task.max_messages_per_second
    return round(max(0, task.matched - done) / speed, 1) if speed else None


@transaction.atomic
def _begin(task: RedriveTask, now: datetime | None) -> RedriveTask:
    """The task comes first: of two that start at once, one waits here and is then refused."""
    try:
        with transaction.atomic():
            task.save()
    except IntegrityError:
        raise RedriveActive() from None
    counted = redrive_plan.count(
        task.dlq, task.filter, target=task.target, limit=task.limit, cut_off=task.cut_off, now=now
    )
    task.matched = counted.matched
    if not task.matched:
        finish(task, RedriveStatus.COMPLETED, task.started_at)
    task.save()
    return task


def _verify(dlq: Queue, target: Queue | None, limit: int | None, rate: int | None) -> None:
    if limit is not None:
        limits.verify_range("limit", limit, limits.REDRIVE_LIMIT)
    if rate is not None:
        limits.verify_range("max_messages_per_second", rate, limits.REDRIVE_RATE)
    if target is not None:
        _verify_target(dlq, target)


def _verify_target(dlq: Queue, target: Queue) -> None:
    if target.team_id != dlq.team_id or target.deleted_at is not None:
        raise Invalid("There is no such queue.", field="target_queue_id")
    if target.pk == dlq.pk:
        raise Invalid("The messages are in this queue already.", field="target_queue_id")
    if target.mode != dlq.mode:
        raise Invalid(f"Must be a {dlq.mode} queue, as this one is.", field="target_queue_id")


def _clock(dlq: Queue, now: datetime | None) -> datetime:
    """The time of the database, by which messages die: the clock of this machine may be ahead of it."""
    moment = Queue.objects.live().filter(pk=dlq.pk).values_list(Now(), flat=True).first()
    if moment is None:
        raise QueueNotFound()
    return now or moment
