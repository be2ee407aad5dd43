"""Finding, creating, changing and deleting queues."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from queues import ids
from queues.errors import Conflict, QueueNotFound, QuotaExceeded
from queues.events import emit
from queues.models import Message, Outcome, Queue, QueueSlot, Subscription, Team
from queues.operations import dlq_creation, queue_settings
from queues.operations.removal import remove

PURGE_BATCH = 5_000


def find(team: Team, public_id: str) -> Queue:
    """The team's queue of this id. Another team's queue does not exist."""
    uid = ids.decode("q", public_id)
    queue = Queue.objects.of_team(team, uid) if uid else None
    if queue is None:
        raise QueueNotFound()
    return queue


def create(team: Team, *, name: str, **settings: Any) -> tuple[Queue, bool]:
    """A new queue, or the one of that name if its settings are the very same. Says whether it is new."""
    wanted = queue_settings.new_queue(team, name, settings)
    existing = _of_name(team, name)
    if existing is None:
        try:
            return _save_new(wanted), True
        except IntegrityError:  # a twin of this request got there first
            existing = _of_name(team, name)
    if existing is None or not queue_settings.same(existing, wanted):
        raise Conflict("A queue of this name exists with other settings.", field="queue_name")
    return existing, False


@transaction.atomic
def create_with_dlq(team: Team, *, name: str, dlq_name: str = "", **settings: Any) -> Queue:
    """A new queue and the dead-letter queue it will need, unless its messages never die."""
    wanted = queue_settings.new_queue(team, name, settings)
    needs_dlq = wanted.max_deliveries is not None and wanted.dlq is None
    _require_room(team, places=1 + needs_dlq)
    try:
        queue = _save_new(wanted)
    except IntegrityError:
        raise Conflict("The team has a queue of this name.", field="queue_name") from None
    if needs_dlq:
        dlq_creation.make_for(queue, dlq_name)
        queue.refresh_from_db(fields=["dlq", "dlq_is_lazy"])
    return queue


def update(queue: Queue, **changes: Any) -> Queue:
    """Change settings; they hold for the next request of every process."""
    return update_noting(queue, changes)[0]


@transaction.atomic
def update_noting(queue: Queue, changes: dict[str, Any]) -> tuple[Queue, dict[str, tuple[Any, Any]]]:
    """The same, and what each setting that is another now was before: read under the lock, so it is true."""
    if "dlq" in changes:
        _lock_kinship(queue)
    queue = _locked(queue)
    before = queue_settings.readable(queue)
    before_size, before_dlq = queue.queue_size, queue.dlq
    queue_settings.apply(queue, changes)
    if "dlq" in changes:
        queue.dlq_is_lazy = queue.dlq_is_lazy and queue.dlq == before_dlq
    if queue.queue_size != before_size:
        _resize(queue)
    queue.save()
    _mark_dlqs(before_dlq, queue.dlq)
    after = queue_settings.readable(queue)
    return queue, {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def pause(queue: Queue) -> Queue:
    """Stop deliveries; sends go on."""
    return _set_paused(queue, True)


def resume(queue: Queue) -> Queue:
    queue = _set_paused(queue, False)
    emit("queue.resumed", queue=queue)
    return queue


def purge(queue: Queue) -> int:
    """Remove every message that is in the queue now; what is sent meanwhile stays."""
    last = Message.objects.filter(queue_id=queue.pk).order_by("-id").values_list("id", flat=True).first()
    purged = 0
    while last is not None and (batch := finish_batch(queue, Outcome.PURGED, PURGE_BATCH, id__lte=last)):
        purged += batch
    return purged


@transaction.atomic
def delete(queue: Queue, *, with_dlq: bool = False) -> Queue | None:
    """Delete a queue with its messages; answers its dead-letter queue when that one stays.

    A dead-letter queue that was made lazily goes too when it is empty or when asked for; with dead letters
    in it, it stays as an ordinary queue, and so does one that its owner named. The messages are removed by
    maintenance: nobody sees them any more.
    """
    _lock_kinship(queue)
    queue = _locked(queue)
    dlq = queue.dlq
    _mark_deleted(queue)
    if dlq is None:
        return None
    if queue.dlq_is_lazy and not _has_sources(dlq) and (with_dlq or _is_empty(dlq)):
        _mark_deleted(_locked(dlq))
        return None
    return dlq


def finish_batch(queue: Queue, outcome: Outcome, batch: int, **which: Any) -> int:
    """Remove and log up to `batch` messages of a queue, oldest first."""
    rows = Message.objects.filter(queue_id=queue.pk, **which).order_by("id")
    return remove(queue, list(rows.values_list("id", flat=True)[:batch]), outcome, None)


def _of_name(team: Team, name: str) -> Queue | None:
    return Queue.objects.live().filter(team=team, name=name).first()


@transaction.atomic
def _save_new(queue: Queue) -> Queue:
    _require_room(queue.team)
    queue.save()
    if queue.queue_size is not None:
        QueueSlot.objects.open(queue, queue.queue_size)
    _mark_dlqs(None, queue.dlq)
    return queue


def _require_room(team: Team, places: int = 1) -> None:
    # The team's row is held, or two requests could both take the last place of the quota.
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    held = Queue.objects.live().filter(team=team).count()
    if held >= team.max_queues:
        raise QuotaExceeded(f"The team has {team.max_queues} queues, as many as it may have.")
    if held + places > team.max_queues:
        raise QuotaExceeded(
            f"The team has {held} of {team.max_queues} queues: there is no room for a dead-letter queue too."
        )


def _lock_kinship(queue: Queue) -> None:
    """Let one transaction of the team at a time change which queue is whose dead-letter queue.

    Queues are held before the dead-letter queues they point to, as in a burial: in any other order two
    transactions could each hold the row the other waits for.
    """
    Team.objects.select_for_update(no_key=True).get(pk=queue.team_id)
    dlqs = Queue.objects.filter(Q(pk=queue.pk) | Q(source_queues=queue))
    list(Queue.objects.select_for_update(no_key=True).filter(dlq__in=dlqs).order_by("pk"))


def _locked(queue: Queue) -> Queue:
    locked = Queue.objects.live().select_for_update(no_key=True, of=("self",)).filter(pk=queue.pk).first()
    if locked is None:
        raise QueueNotFound()
    return locked


def _set_paused(queue: Queue, paused: bool) -> Queue:
    queue.paused = paused
    queue.save(update_fields=["paused", "updated_at"])
    return queue


def _resize(queue: Queue) -> None:
    """Set up the free places anew. Sends under way may not have taken one: maintenance counts again later."""
    if queue.queue_size is None:
        QueueSlot.objects.close(queue)
        return
    QueueSlot.objects.open(queue, queue.queue_size - Message.objects.filter(queue_id=queue.pk).count())
    queue.slots_unsettled_at = timezone.now()


def _mark_dlqs(before: Queue | None, after: Queue | None) -> None:
    """Keep `is_dlq` true to whether any queue points there."""
    for dlq in {dlq for dlq in (before, after) if dlq is not None}:
        Queue.objects.filter(pk=dlq.pk).update(is_dlq=_has_sources(dlq))


def _mark_deleted(queue: Queue) -> None:
    Queue.objects.filter(dlq=queue).update(dlq=None, dlq_is_lazy=False)
    Queue.objects.filter(pk=queue.pk).update(deleted_at=timezone.now(), dlq=None, is_dlq=False)
    _mark_dlqs(queue.dlq, None)
    Subscription.objects.filter(queue=queue).delete()
    emit("queue.deleted", queue=queue)


def _has_sources(dlq: Queue) -> bool:
    return Queue.objects.live().filter(dlq=dlq).exists()


def _is_empty(queue: Queue) -> bool:
    return not Message.objects.filter(queue_id=queue.pk).exists()
