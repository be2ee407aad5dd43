"""What every page of the admin has in common: for superusers, bounded, and saved through operations."""

from typing import Any

from django.contrib import admin
from django.contrib.admin import ShowFacets
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from dlq_console.access import person
from dlq_console.admin.bounded import BoundedPaginator, PlainChangeList
from dlq_console.admin.refusals import refused_form
from dlq_console.templatetags.console_text import visible
from queues import ids
from queues.errors import QueueError


class ConsoleAdmin(admin.ModelAdmin):
    """Deeds go through operations: what these refuse is said on the form, beside what was typed."""

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER  # each would be a count of its own
    list_per_page = 50
    id_prefix = ""  # of the public ids that the search finds, where rows have one

    class Media:
        css = {"all": ["dlq_console/css/admin.css"]}

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PlainChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if self.id_prefix and (uid := ids.decode(self.id_prefix, search_term.strip())):
            return queryset.filter(uid=uid), False
        return super().get_search_results(request, queryset, search_term)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return person(request).is_superuser

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return person(request).is_superuser

    def has_add_permission(self, request: HttpRequest) -> bool:
        return person(request).is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return person(request).is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Django would delete rows behind the operations; where deleting makes sense there is an action."""
        return False

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the actions are offered: see confirmed.py"""
        return person(request).is_superuser

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except QueueError as problem:  # by now everything the request did is rolled back
            request.refusal = problem  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["subtitle"] = visible(
            context["subtitle"]
        )  # the row's own name, which a client may have given
        return super().render_change_form(request, context, *args, **kwargs)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm]:
        form = super().get_form(request, obj, change, **kwargs)
        problem = getattr(request, "refusal", None)
        return refused_form(form, problem) if problem else form


class ReadOnlyAdmin(ConsoleAdmin):
    """To look at. What can be done with a row is an action."""

    change_form_template = "admin/queues/read_only.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
