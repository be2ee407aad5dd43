"""Redrives: scope, plan, confirmation; then the task with its progress, cancel and undo; and the history."""

from typing import Any

from django.contrib import messages
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dlq_console import redrive_wording as wording
from dlq_console.access import person, rights_in, with_queue
from dlq_console.forms.redrive import ConfirmForm, ScopeForm
from dlq_console.paging import page_of
from dlq_console.redrive_scope import Promise, Scope, sealed, unsealed
from dlq_console.returning import after_post, back_to
from dlq_console.sessions import is_automatic
from dlq_console.ticks import counted
from queues.errors import Invalid, QueueFull, RedriveActive, RedriveNotFound
from queues.models import Action, Queue, RedriveStatus, RedriveTask
from queues.operations import canary, redrive, redrive_run
from queues.operations.audit import audited
from queues.operations.redrive_plan import Plan
from queues.rights import Right

# A small redrive is over before its page is shown. A large one begins, and maintenance goes on with it.
FIRST_BATCH, FIRST_BATCHES = 200, 5
# What is pulled back in one transaction, and in one request: places of the queues are held that long.
UNDO_BATCH, UNDO_BATCHES = 5_000, 20


@require_GET
@with_queue()
def history(request: HttpRequest, queue: Queue) -> HttpResponse:
    page = page_of(request, redrive.tasks_of(queue).select_related("target"), newest_first=True)
    tasks = [(task, *wording.status(task)) for task in page.rows]
    return _page(request, queue, "history", page=page, tasks=tasks)


@require_GET
@with_queue(Right.REDRIVE)
def new(request: HttpRequest, queue: Queue) -> HttpResponse:
    form = ScopeForm(dlq=queue, initial={"q": request.GET.get("q", "")})
    return _page(request, queue, "new", form=form, running=_running(queue))


@require_GET
@with_queue(Right.REDRIVE)
def plan(request: HttpRequest, queue: Queue) -> HttpResponse:
    """The dry run: it counts, and nothing moves."""
    form = ScopeForm(request.GET, dlq=queue)
    if not form.is_valid():
        return _page(request, queue, "new", form=form, running=_running(queue))
    scope = form.scope()
    try:
        counted = scope.plan(queue)
    except Invalid as problem:  # too many to count in the time a person waits, for one
        form.add_error(None, problem.message)
        return _page(request, queue, "new", form=form, running=_running(queue))
    confirm = ConfirmForm(initial={"plan": sealed(scope, counted, queue, person(request))})
    return _plan_page(request, queue, scope, counted, confirm)


@require_POST
@with_queue(Right.REDRIVE)
def start(request: HttpRequest, queue: Queue) -> HttpResponse:
    """What was promised is counted again: the number on the button is what moves, or nothing does. Confirmed
    twice, by a double click or after Back, it leads to what was started."""
    confirm = ConfirmForm(request.POST)
    try:
        promise = unsealed(request.POST.get("plan", ""), queue, person(request))
        if begun := _begun(request, queue, promise):
            return after_post(_address("redrive", queue, begun))
        left = promise.scope.plan(queue, promise.cut_off)
    except Invalid as problem:
        messages.error(request, problem.message)
        return _page(request, queue, "new", status=400, form=ScopeForm(dlq=queue), running=_running(queue))
    if left.movable != promise.movable:
        confirm = ConfirmForm(
            initial={
                "plan": sealed(promise.scope, left, queue, person(request)),
                "reason": request.POST.get("reason", ""),
            }
        )
        was = f"Since the plan was made it has changed: it was to move {counted(promise.movable)}."
        return _plan_page(request, queue, promise.scope, left, confirm, status=409, changed=was)
    if not confirm.is_valid():
        return _plan_page(request, queue, promise.scope, left, confirm)
    try:
        task = _start(request, queue, promise, confirm.cleaned_data["reason"])
    except RedriveActive as problem:
        if begun := _begun(request, queue, promise):  # by the first click, just now
            return after_post(_address("redrive", queue, begun))
        return _plan_page(request, queue, promise.scope, left, confirm, status=409, changed=problem.message)
    _begin_at_once(task)
    return after_post(_address("redrive", queue, task))


@require_GET
@with_queue()
def task(request: HttpRequest, queue: Queue, redrive_id: str) -> HttpResponse:
    found = _find(queue, redrive_id)
    word, badge = wording.status(found)
    came_back = canary.returned(found)
    context = {
        "task": found,
        "word": word,
        "badge": badge,
        "is_running": found.status == RedriveStatus.RUNNING,
        "done": min(found.matched, found.moved + sum(found.skipped.values())),
        "skipped": wording.staying(sorted(found.skipped.items())),
        "came_back": came_back,
        "canary_state": wording.canary_state(found, came_back),
        "ladder": wording.ladder(found.canary),
        "filters": wording.filter_words(found.filter),
        "often": wording.includes_often_redriven(found.filter),
        "eta": redrive.eta_seconds(found),
        "left_to_undo": found.moved - found.undone,
    }
    return _page(request, queue, "_progress" if _is_poll(request) else "task", **context)


@require_POST
@with_queue(Right.REDRIVE)
def cancel(request: HttpRequest, queue: Queue, redrive_id: str) -> HttpResponse:
    found = _find(queue, redrive_id)
    if found.status == RedriveStatus.RUNNING:
        with audited(person(request), Action.REDRIVE_CANCELLED, queue=queue, subject=redrive_id) as detail:
            found = redrive.cancel(found)
            detail["moved"] = found.moved
    messages.success(request, f"The redrive is {found.status}. What moved stays: {counted(found.moved)}.")
    return after_post(_address("redrive", queue, found))


@require_POST
@with_queue(Right.REDRIVE)
def undo(request: HttpRequest, queue: Queue, redrive_id: str) -> HttpResponse:
    found = _find(queue, redrive_id)
    back, trouble = _pull_back(request, queue, found)
    if trouble:
        messages.error(request, trouble)
    elif back:
        messages.success(request, f"Pulled back {counted(back)}. What was received stays.")
    else:
        messages.info(request, "There is nothing to pull back: all that moved has been received since.")
    return after_post(back_to(request, _address("redrive", queue, found)))


def _begun(request: HttpRequest, dlq: Queue, promise: Promise) -> RedriveTask | None:
    """No two plans of a person are counted for the same microsecond."""
    mine = redrive.tasks_of(dlq).filter(requested_by=person(request).get_username())
    return mine.filter(cut_off=promise.cut_off).first()


def _start(request: HttpRequest, dlq: Queue, promise: Promise, reason: str) -> RedriveTask:
    scope = promise.scope
    words: dict[str, Any] = {
        "search": scope.text,
        "target": scope.target.name if scope.target else None,
        "planned": promise.movable,
    }
    with audited(person(request), Action.REDRIVE_STARTED, queue=dlq, reason=reason, **words) as detail:
        begun = redrive.start(
            dlq,
            target=scope.target,
            filter=scope.filter,
            limit=scope.limit,
            max_messages_per_second=scope.rate,
            canary=scope.canary,
            requested_by=person(request).get_username(),
            cut_off=promise.cut_off,
        )
        detail["redrive_id"] = begun.public_id
    return begun


def _begin_at_once(task: RedriveTask) -> None:
    """It is started and audited by now, and maintenance would move it too: trouble here is no failure."""
    try:
        for _ in range(FIRST_BATCHES):
            if redrive_run.advance(task.pk, FIRST_BATCH).idle:
                return
    except DatabaseError:
        return


def _pull_back(request: HttpRequest, dlq: Queue, task: RedriveTask) -> tuple[int, str]:
    """How many came back, and what stood in the way. Each batch is a transaction with its own audit row."""
    back = 0
    for _ in range(UNDO_BATCHES):
        try:
            with audited(person(request), Action.REDRIVE_UNDONE, queue=dlq, subject=task.public_id) as detail:
                detail["count"] = batch = redrive.undo(task, most=UNDO_BATCH)
        except QueueFull as problem:
            return back, problem.message
        back += batch
        if batch < UNDO_BATCH:
            return back, ""
    return back, f"Pulled back {counted(back)}, and there are more: undo once more."


def _find(dlq: Queue, redrive_id: str) -> RedriveTask:
    try:
        return redrive.find(dlq, redrive_id)
    except RedriveNotFound as problem:
        raise Http404(problem.message) from None


def _running(dlq: Queue) -> RedriveTask | None:
    return redrive.tasks_of(dlq).filter(status=RedriveStatus.RUNNING).first()


def _is_poll(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False)) and is_automatic(request)


def _address(name: str, dlq: Queue, task: RedriveTask) -> str:
    return reverse(f"console:{name}", args=[dlq.public_id, task.public_id])


def _plan_page(
    request: HttpRequest,
    dlq: Queue,
    scope: Scope,
    counted: Plan,
    confirm: ConfirmForm,
    *,
    status: int = 200,
    changed: str = "",
) -> HttpResponse:
    return _page(
        request,
        dlq,
        "plan",
        status=status,
        scope=scope,
        plan=counted,
        blocked=wording.staying(counted.blocked),
        ladder=wording.ladder(scope.canary),
        often=wording.includes_often_redriven(scope.filter),
        form=confirm,
        changed=changed,
        running=_running(dlq),
    )


def _page(request: HttpRequest, dlq: Queue, name: str, status: int = 200, **context: Any) -> HttpResponse:
    context |= {"queue": dlq, "tab": "redrives", "may_redrive": Right.REDRIVE in rights_in(request, dlq.team)}
    return render(request, f"dlq_console/redrives/{name}.html", context, status=status)
