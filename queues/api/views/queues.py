"""Queues: listed, made, changed, paused, emptied, deleted."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import pages
from queues.api.calls import Call
from queues.api.serializers.page import page_of
from queues.api.serializers.queue import (
    CreateQueue,
    DeletedQueue,
    DeleteQueue,
    ListQueues,
    Purged,
    QueueDetail,
    QueueId,
    QueueSummary,
    UpdateQueue,
)
from queues.api.views.door import Door
from queues.errors import Conflict, Forbidden, QueueNotFound, QuotaExceeded
from queues.models import Queue
from queues.operations import keys, look, queues

NOT_FOUND = (QueueNotFound,)


class QueuesView(Door):
    tag = "queues"
    calls = {
        "list_queues": Call(query=ListQueues(), answers={200: page_of(QueueSummary)}),
        "create_queue": Call(
            scope="manage",
            body=CreateQueue(),
            answers={200: QueueId(), 201: QueueId()},
            problems=(QuotaExceeded, Conflict),
        ),
        "get_queue": Call(answers={200: QueueDetail()}, problems=NOT_FOUND),
        "update_queue": Call(
            scope="manage", body=UpdateQueue(), answers={200: QueueDetail()}, problems=NOT_FOUND
        ),
        "delete_queue": Call(
            scope="manage", query=DeleteQueue(), answers={200: DeletedQueue()}, problems=NOT_FOUND
        ),
        "purge_queue": Call(scope="manage", answers={200: Purged()}, problems=NOT_FOUND),
        "pause_queue": Call(scope="manage", answers={200: QueueDetail()}, problems=NOT_FOUND),
        "resume_queue": Call(scope="manage", answers={200: QueueDetail()}, problems=NOT_FOUND),
    }

    def list_queues(self, request: Request) -> Response:
        """The team's queues, oldest first.

        Settings and flags; ask for one queue to see its counts.
        """
        return Response(pages.answer(request, self._listed(), self.query, _summaries))

    def create_queue(self, request: Request) -> Response:
        """Create a queue.

        The same name with the same settings answers 200 and the queue there is; with other settings, 409.
        """
        settings = self._settings()
        name = settings.pop("queue_name")
        if not keys.allows(self.key, self.scope, name):
            raise Forbidden("This key may not use a queue of this name.", field="queue_name")
        queue, created = queues.create(self.team, name=name, **settings)
        return Response({"queue_id": queue.public_id}, 201 if created else 200)

    def get_queue(self, request: Request, queue_id: str) -> Response:
        """A queue: its settings and what it holds."""
        return Response(_detail(self.queue()))

    def update_queue(self, request: Request, queue_id: str) -> Response:
        """Change settings of a queue.

        They hold for the next request. What is not given stays as it is.
        """
        return Response(_detail(queues.update(self.queue(), **self._settings())))

    def delete_queue(self, request: Request, queue_id: str) -> Response:
        """Delete a queue and all its messages.

        Its lazily made DLQ goes with it when empty, and stays as an ordinary queue when it still holds dead
        letters.
        """
        queue, with_dlq = self.queue(), self.query.get("with_dlq", False)
        if with_dlq and queue.dlq:
            self.require_use_of(queue.dlq, "with_dlq")
        kept = queues.delete(queue, with_dlq=with_dlq)
        kept_id = kept.public_id if kept else None
        return Response({"queue_id": queue_id, "deleted": True, "kept_dlq_id": kept_id})

    def purge_queue(self, request: Request, queue_id: str) -> Response:
        """Delete all messages of a queue."""
        queue = self.queue()
        self.body()
        return Response({"purged": queues.purge(queue)})

    def pause_queue(self, request: Request, queue_id: str) -> Response:
        """Stop deliveries.

        Receives answer empty until the queue is resumed. Sends go on.
        """
        queue = self.queue()
        self.body()
        return Response(_detail(queues.pause(queue)))

    def resume_queue(self, request: Request, queue_id: str) -> Response:
        """Deliver again."""
        queue = self.queue()
        self.body()
        return Response(_detail(queues.resume(queue)))

    def _listed(self) -> QuerySet[Queue]:
        """Two statements a page, however many queues; one more when the key sees only some of them."""
        rows = Queue.objects.live().filter(team=self.team)
        if "name_prefix" in self.query:
            rows = rows.filter(name__startswith=self.query["name_prefix"])
        if "tag" in self.query:
            rows = rows.filter(tags__contains=dict([self.query["tag"]]))
        if "is_dlq" in self.query:
            rows = rows.filter(is_dlq=self.query["is_dlq"])
        sources = Prefetch("source_queues", Queue.objects.live().order_by("id"), to_attr="live_sources")
        return self.within_pattern(rows).select_related("dlq").prefetch_related(sources)

    def _settings(self) -> dict[str, Any]:
        settings = self.body()
        if "dlq_id" in settings:
            settings["dlq"] = self.named_queue("dlq_id", settings.pop("dlq_id"))
        return settings


def _summaries(rows: list[Queue]) -> list[dict[str, Any]]:
    return QueueSummary(rows, many=True).data  # type: ignore[return-value]


def _detail(queue: Queue) -> dict[str, Any]:
    queue.counts = look.count(queue)  # type: ignore[attr-defined]
    queue.live_sources = look.source_queues(queue)  # type: ignore[attr-defined]
    return QueueDetail(queue).data
