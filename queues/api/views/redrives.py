"""Redrives: dead letters on their way back, in bulk."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import pages
from queues.api.calls import Call
from queues.api.pages import PageQuery
from queues.api.serializers.page import page_of
from queues.api.serializers.redrive import Redrive, RedrivePlan, StartedRedrive, StartRedrive, Undone
from queues.api.views.door import Door
from queues.errors import Forbidden, QueueFull, QueueNotFound, RedriveActive, RedriveNotFound
from queues.models import RedriveTask
from queues.operations import redrive
from queues.operations.redrive_plan import Plan

NOT_FOUND = (QueueNotFound, RedriveNotFound)


class RedrivesView(Door):
    tag = "dead letters"
    calls = {
        "start_redrive": Call(
            scope="manage",
            body=StartRedrive(),
            answers={200: RedrivePlan(), 202: StartedRedrive()},
            problems=(QueueNotFound, RedriveActive),
        ),
        "list_redrives": Call(query=PageQuery(), answers={200: page_of(Redrive)}, problems=(QueueNotFound,)),
        "get_redrive": Call(answers={200: Redrive()}, problems=NOT_FOUND),
        "cancel_redrive": Call(scope="manage", answers={200: Redrive()}, problems=NOT_FOUND),
        "undo_redrive": Call(scope="manage", answers={200: Undone()}, problems=(*NOT_FOUND, QueueFull)),
    }

    def start_redrive(self, request: Request, queue_id: str) -> Response:
        """Move dead letters back to be tried afresh.

        It goes on after this answer; ask for the redrive to see how far it has come. With `dry_run` the
        answer is 200 and says what would happen. A key with a queue pattern must name `target_queue_id`.
        """
        dlq, wanted = self.queue(), self.body()
        target = self.named_queue("target_queue_id", wanted.pop("target_queue_id", None))
        if target is None:
            self._require_use_of_every_source()
        if wanted.pop("dry_run", False):
            plan = redrive.plan(dlq, target=target, filter=wanted.get("filter"), limit=wanted.get("limit"))
            return Response(_planned(plan))
        task = redrive.start(dlq, target=target, requested_by=self.key.name, **wanted)
        return Response({"redrive_id": task.public_id, "status": task.status, "matched": task.matched}, 202)

    def list_redrives(self, request: Request, queue_id: str) -> Response:
        """The redrives of a queue, the latest first."""
        rows = redrive.tasks_of(self.queue()).select_related("target")
        return Response(pages.answer(request, rows, self.query, _shown, newest_first=True))

    def get_redrive(self, request: Request, queue_id: str, redrive_id: str) -> Response:
        """How far a redrive has come."""
        return Response(Redrive(redrive.find(self.queue(), redrive_id)).data)

    def cancel_redrive(self, request: Request, queue_id: str, redrive_id: str) -> Response:
        """End a redrive before it is through.

        What moved stays moved. One that is over stays as it is.
        """
        dlq = self.queue()
        self.body()
        return Response(Redrive(redrive.cancel(redrive.find(dlq, redrive_id))).data)

    def undo_redrive(self, request: Request, queue_id: str, redrive_id: str) -> Response:
        """Pull back what a redrive moved and nobody received yet.

        It is cancelled first, if it still runs. The messages are dead letters again, as they were.
        """
        dlq = self.queue()
        self.body()
        return Response({"undone": redrive.undo(redrive.find(dlq, redrive_id))})

    def _require_use_of_every_source(self) -> None:
        """Dead letters may be from any queue, also from one that sends its dead elsewhere by now."""
        if self.key.queue_pattern:
            raise Forbidden(
                "This key may not use every queue: it must name the target queue.", field="target_queue_id"
            )


def _shown(rows: list[RedriveTask]) -> list[dict[str, Any]]:
    return Redrive(rows, many=True).data  # type: ignore[return-value]


def _planned(plan: Plan) -> dict[str, Any]:
    return {
        "matched": plan.matched,
        "targets": [{"queue_id": queue.public_id, "count": count} for queue, count in plan.targets],
        "blocked": [{"reason": reason, "count": count} for reason, count in plan.blocked],
    }
