"""Topics, with the queues that are subscribed to them beside them."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from dlq_console.access import person
from dlq_console.admin import subscription
from dlq_console.admin.base import ConsoleAdmin
from dlq_console.admin.confirmed import confirmed
from dlq_console.admin.filters import TeamFilter
from queues.errors import Conflict
from queues.models import Action, Subscription, Topic
from queues.operations import audit, topics


@confirmed("Delete", "These topics and their subscriptions are gone for good. What was published stays.")
def delete(by: User, topic: Topic, reason: str) -> None:
    with audit.audited(
        by, Action.TOPIC_DELETED, team=topic.team, subject=topic.name, reason=reason
    ) as detail:
        detail["queues"] = [each.queue.name for each in topics.subscriptions_of(topic)]
        topics.delete(topic)


class SubscribedFilter(admin.SimpleListFilter):
    title = "subscriptions"
    parameter_name = "subscribed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "with some"), ("no", "without any")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        subscribed = Exists(Subscription.objects.filter(topic=OuterRef("pk")))
        return {"yes": queryset.filter(subscribed), "no": queryset.filter(~subscribed)}.get(
            self.value() or "", queryset
        )


class SubscriptionInline(admin.TabularInline):
    """To look at. A topic has no more of them than a page can carry."""

    model = Subscription
    fields = readonly_fields = ("queue", "filter_text", "created_at")
    ordering = ("id",)
    extra = 0
    can_delete = False
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subscription]:
        return super().get_queryset(request).select_related("queue", "topic")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return person(request).is_superuser

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="filter")
    def filter_text(self, row: Subscription) -> str:
        return subscription.filter_block(row)


@admin.register(Topic)
class TopicAdmin(ConsoleAdmin):
    change_form_template = "admin/queues/read_only.html"
    list_display = ("name", "team", "number_of_subscriptions", "created_at", "subscriptions")
    list_filter = (TeamFilter, SubscribedFilter)
    list_select_related = ("team",)
    search_fields = ("name",)
    search_help_text = "Part of a name, or an id (t_…)."
    id_prefix = "t"
    ordering = ("-id",)
    autocomplete_fields = ("team",)
    actions = (delete,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        return topics.counted(super().get_queryset(request))

    def get_fields(self, request: HttpRequest, obj: Topic | None = None) -> tuple[str, ...]:
        return ("team", "name") if obj is None else ("team", "name", "public_id", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Topic | None = None) -> tuple[str, ...]:
        return () if obj is None else self.get_fields(request, obj)

    def get_inlines(self, request: HttpRequest, obj: Topic | None = None) -> Any:
        return (SubscriptionInline,) if obj else ()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Topic, form: ModelForm, change: bool) -> None:
        with audit.audited(person(request), Action.TOPIC_CREATED, team=obj.team, subject=obj.name):
            made, is_new = topics.create(obj.team, obj.name)
            if not is_new:
                raise Conflict("The team has a topic of this name.", field="topic_name")
        obj.pk = made.pk

    @admin.display(description="queues")
    def number_of_subscriptions(self, topic: Any) -> int:
        return topic.subscription_count

    @admin.display(description="")
    def subscriptions(self, topic: Topic) -> str:
        address = reverse("admin:queues_subscription_changelist", query={"topic": topic.public_id})
        return format_html('<a href="{}">subscriptions</a>', address)
