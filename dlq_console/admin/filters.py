"""Filters by something there are thousands of: typed, not chosen from a list that would hold them all."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest

from queues import ids
from queues.models import Queue, Team


class TypedFilter(admin.SimpleListFilter):
    template = "admin/queues/typed_filter.html"
    help = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return []

    def has_output(self) -> bool:
        return True

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """The other parameters of the address, which the form has to keep."""
        others = {name: value for name, value in changelist.params.items() if name != self.parameter_name}
        yield {"others": others, "clear": changelist.get_query_string({str(self.parameter_name): None})}

    @property
    def typed(self) -> str:
        """Without NUL, which PostgreSQL would refuse; what stands for it is in no name."""
        return (self.value() or "").strip().replace("\x00", "\ufffd")

    @cached_property
    def scope(self) -> dict[str, Any]:
        """The condition on an indexed column; empty when nothing was typed."""
        raise NotImplementedError

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**self.scope)


class TeamFilter(TypedFilter):
    title = "team"
    parameter_name = "team"
    help = "The name of a team."

    @cached_property
    def scope(self) -> dict[str, Any]:
        if not self.typed:
            return {}
        return {"team_id": Team.objects.filter(name=self.typed).values_list("pk", flat=True).first()}


class QueueFilter(TypedFilter):
    title = "queue"
    parameter_name = "queue"
    help = "Its id (q_…), or team/name."

    @cached_property
    def scope(self) -> dict[str, Any]:
        if not self.typed:
            return {}
        return {"queue_id": found.values_list("pk", flat=True).first() if (found := self._found()) else None}

    def _found(self) -> QuerySet[Queue] | None:
        if uid := ids.decode("q", self.typed):
            return Queue.objects.filter(uid=uid)
        team, slash, name = self.typed.partition("/")
        return Queue.objects.live().filter(team__name=team, name=name) if slash else None
