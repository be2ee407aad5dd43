"""Lists that stay fast whatever a table holds: nothing is counted, sorted or searched beyond a bound."""

from functools import cached_property
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

from queues.limits import EXACT_COUNT


class BoundedPaginator(Paginator):
    """Counts no further than it has to; what lies behind is found by searching."""

    @cached_property
    def count(self) -> int:
        return min(self._counted, EXACT_COUNT)

    @cached_property
    def is_cut(self) -> bool:
        return self._counted > EXACT_COUNT

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        return rows.order_by()[: EXACT_COUNT + 1].count()


class PlainChangeList(ChangeList):
    """A list of things that people make, so of thousands."""

    needs_queue = False
    bound = EXACT_COUNT

    @property
    def is_cut(self) -> bool:
        return bool(getattr(self.paginator, "is_cut", False))


class WindowChangeList(PlainChangeList):
    """A list of what traffic makes, so of millions: the first rows in the order of an index, and no others.

    One look at the index says where the window ends. Whatever filter, search or order is asked for then
    works within it, so no statement reads more rows than the window has.
    """

    model_admin: Any
    window_ends = False

    @property
    def is_cut(self) -> bool:
        return self.window_ends

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        queryset = super().get_queryset(request, exclude_parameters).defer(*self.model_admin.large)
        scope = self._scope()
        self.needs_queue = self.model_admin.queue_is_needed and "queue_id" not in scope
        if self.needs_queue:
            return queryset.none()
        window_by = self.model_admin.window_by
        field, comparison = window_by.lstrip("-"), "gt" if window_by.startswith("-") else "lt"
        in_order = self.root_queryset.filter(**scope).order_by(window_by).values_list(field, flat=True)
        edge = list(in_order[EXACT_COUNT : EXACT_COUNT + 1])
        self.window_ends = bool(edge)
        return queryset.filter(**{f"{field}__{comparison}": edge[0]}) if edge else queryset

    def _scope(self) -> dict[str, Any]:
        """The conditions that an index answers: which queue or team, and which very row is looked for."""
        scope: dict[str, Any] = {}
        for spec in self.filter_specs:
            scope |= getattr(spec, "scope", {})
        return scope | self.model_admin.search_scope(self.query)
