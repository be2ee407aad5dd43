"""Filters by something there are thousands of: typed, not chosen from a list that would hold them all."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest

from queues import ids
from queues.models import Queue, Team, Topic


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
    column = "team_id"

    @cached_property
    def scope(self) -> dict[str, Any]:
        if not self.typed:
            return {}
        return {self.column: Team.objects.filter(name=self.typed).values_list("pk", flat=True).first()}


class OwnedFilter(TypedFilter):
    """By something that a team owns."""

    id_prefix: str
    rows: QuerySet[Any]
    named: QuerySet[Any]  # those that a name stands for

    @cached_property
    def scope(self) -> dict[str, Any]:
        if not self.typed:
            return {}
        return {f"{self.parameter_name}_id": self._found().values_list("pk", flat=True).first()}

    def _found(self) -> QuerySet[Any]:
        if uid := ids.decode(self.id_prefix, self.typed):
            return self.rows.filter(uid=uid)
        team, _, name = self.typed.partition("/")
        return self.named.filter(team__name=team, name=name)


class QueueFilter(OwnedFilter):
    title = "queue"
    parameter_name = "queue"
    help = "Its id (q_…), or team/name."
    id_prefix = "q"
    rows = Queue.objects.all()
    named = Queue.objects.live()


class TopicFilter(OwnedFilter):
    title = "topic"
    parameter_name = "topic"
    help = "Its id (t_…), or team/name."
    id_prefix = "t"
    rows = named = Topic.objects.all()
