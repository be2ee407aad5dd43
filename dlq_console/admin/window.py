"""The admin of a table with millions of rows."""

from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from dlq_console.admin.base import ReadOnlyAdmin
from dlq_console.admin.bounded import WindowChangeList
from queues.errors import QueueNotFound
from queues.models import Queue


class WindowAdmin(ReadOnlyAdmin):
    window_by = "-id"  # an index begins with the scope and goes on with this
    queue_is_needed = False
    large: tuple[str, ...] = ()  # columns that no list shows, so no list loads

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return WindowChangeList

    def search_scope(self, text: str) -> dict[str, Any]:
        """What a search means, as conditions that an index answers; nothing is searched by reading rows."""
        return {}

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return queryset.filter(**self.search_scope(search_term)), False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only the filters on the page: any column could be named in the address, and few have an index."""
        offered = {getattr(item, "parameter_name", item) for item in self.get_list_filter(request)}  # type: ignore[arg-type]
        return lookup.split("__")[0] in offered


def with_queue_name(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Tables without a foreign key: the name comes with the page's rows, not row by row."""
    name = Queue.objects.filter(pk=OuterRef("queue_id")).values("name")[:1]
    return rows.annotate(queue_name=Subquery(name))


def queue_of(row: Any) -> Queue:
    queue: Queue | None = Queue.objects.live().select_related("team").filter(pk=row.queue_id).first()
    if queue is None:
        raise QueueNotFound()
    return queue
