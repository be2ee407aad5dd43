"""`manage.py requeue_dlq orders`: moves dead letters back in bulk, whether or not maintenance runs.

It starts a redrive and works it off itself. A maintenance process may do so at the same time: whoever holds
the task's row moves the next batch, the other waits.
"""

import getpass
import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from queues import limits
from queues.management import filters, interruption
from queues.management.finding import find_dead_letter_queue, find_queue
from queues.management.refusals import in_one_sentence
from queues.models import Queue, RedriveStatus, RedriveTask
from queues.operations import redrive
from queues.operations.redrive_plan import Plan
from queues.operations.redrive_run import advance

BATCH = 1_000
PAUSE_SECONDS = 0.2
PARTIAL = 3


class Command(BaseCommand):
    help = (
        "Move dead letters back to the queues they died in. "
        "Exit status: 0 all moved, 1 nothing done, 3 some messages stayed or it was stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("queue", help="name or id of the dead-letter queue, or of a queue that has one")
        parser.add_argument("--team", help="the team that has the queue, when several have one of that name")
        parser.add_argument(
            "--filter",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="only messages that match: fingerprint, error_type, group_id, attribute.NAME, message_ids "
            "(with commas), dead_lettered_before, dead_lettered_after, max_redrive_count; may be repeated",
        )
        parser.add_argument("--target", metavar="QUEUE", help="move them there instead")
        parser.add_argument("--rate", type=int, metavar="N", help="at most so many messages a second")
        parser.add_argument("--limit", type=int, metavar="N", help="move no more than this")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, move nothing")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            dlq = find_dead_letter_queue(options["queue"], options["team"])
            target = find_queue(options["target"], dlq.team.name) if options["target"] else None
            chosen = {"target": target, "filter": filters.read(options["filter"]), "limit": options["limit"]}
            plan = redrive.plan(dlq, **chosen)
            if options["dry_run"] or not plan.movable:
                return self._tell_plan(dlq, plan, options)
            self._ask(dlq, plan, options)
            task = redrive.start(
                dlq,
                **chosen,
                max_messages_per_second=options["rate"],
                requested_by=_who(),
                cut_off=plan.cut_off,
            )
        return self._tell_end(_work_off(task), options)

    def _ask(self, dlq: Queue, plan: Plan, options: dict[str, Any]) -> None:
        if options["yes"]:
            return
        if not sys.stdin.isatty():
            raise CommandError(
                f"There is nobody to ask whether to requeue {_messages(plan.movable)}: give --yes."
            )
        question = f"{_as_text(dlq, plan)}\nRequeue {_messages(plan.movable)}? [y/N] "
        self.stderr.write(question, str, ending="")  # in no colour: it is no error
        self.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was moved.")

    def _tell_plan(self, dlq: Queue, plan: Plan, options: dict[str, Any]) -> None:
        if options["format"] == "json":
            self.stdout.write(json.dumps(_as_dict(plan)))
        else:
            self.stdout.write(_as_text(dlq, plan))
        if plan.blocked and not plan.movable and not options["dry_run"]:
            raise SystemExit(PARTIAL)

    def _tell_end(self, task: RedriveTask, options: dict[str, Any]) -> None:
        if options["format"] == "json":
            self.stdout.write(json.dumps(_end_as_dict(task)))
        else:
            self.stdout.write(_end_as_text(task))
        if task.skipped or task.status != RedriveStatus.COMPLETED:
            raise SystemExit(PARTIAL)


def _who() -> str:
    try:
        return f"requeue_dlq by {getpass.getuser()}"[: limits.REQUESTED_BY_LENGTH]
    except (OSError, KeyError):  # a container's user need not have a name
        return "requeue_dlq"


def _work_off(task: RedriveTask) -> RedriveTask:
    """Until it is over; when interrupted, until the batch under way is."""
    with (
        interruption.as_a_request() as interrupted,
        tqdm(total=task.matched, unit=" messages", disable=None, file=sys.stderr) as bar,
    ):
        while task.status == RedriveStatus.RUNNING:
            if interrupted.is_set():
                return redrive.cancel(task)
            idle = advance(task.pk, BATCH).idle
            task.refresh_from_db()
            bar.set_postfix_str(task.reason, refresh=False)
            bar.update(task.moved + sum(task.skipped.values()) - bar.n)
            if idle and task.status == RedriveStatus.RUNNING:
                interrupted.wait(PAUSE_SECONDS)
    return task


def _messages(number: int) -> str:
    return "1 message" if number == 1 else f"{number} messages"


def _reasons(counts: list[tuple[str, int]]) -> str:
    return ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in counts)


def _as_dict(plan: Plan) -> dict[str, Any]:
    return {
        "matched": plan.matched,
        "targets": [
            {"queue_id": queue.public_id, "queue_name": queue.name, "count": count}
            for queue, count in plan.targets
        ],
        "blocked": dict(plan.blocked),
    }


def _as_text(dlq: Queue, plan: Plan) -> str:
    if not plan.matched:
        return f"Nothing to requeue: no dead letter in {dlq.name} matches."
    lines = [f"{queue.name}: {_messages(count)} would go back there" for queue, count in plan.targets]
    if plan.blocked:
        lines.append(f"{dlq.name}: {_reasons(plan.blocked)} would stay")
    return "\n".join(lines)


def _end_as_dict(task: RedriveTask) -> dict[str, Any]:
    return {
        "redrive_id": task.public_id,
        "status": task.status,
        "reason": task.reason,
        "matched": task.matched,
        "moved": task.moved,
        "skipped": task.skipped,
    }


def _end_as_text(task: RedriveTask) -> str:
    lines = [f"Moved {_messages(task.moved)}."]
    if task.skipped:
        lines.append(f"Skipped {sum(task.skipped.values())}: {_reasons(sorted(task.skipped.items()))}.")
    if task.status == RedriveStatus.CANCELLED:
        lines.append("Cancelled; what moved stays moved.")
    elif task.status != RedriveStatus.COMPLETED:
        lines.append(f"It {task.status}: {task.reason}")
    return "\n".join(lines)
