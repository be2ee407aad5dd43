"""Which queues get what is published to which topics. A subscription is never changed, only ended."""

import json
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest

from dlq_console.access import person
from dlq_console.admin import shown
from dlq_console.admin.base import ConsoleAdmin
from dlq_console.admin.confirmed import confirmed
from dlq_console.admin.filters import QueueFilter, TeamFilter, TopicFilter
from queues.errors import Conflict
from queues.models import Action, Subscription
from queues.operations import audit, topics

EVERYTHING = "every message"
TYPED = ("topic", "queue", "filter")


@confirmed("End", "Nothing more is delivered to these queues. What they have got stays there.")
def end(by: User, subscription: Subscription, reason: str) -> None:
    with audit.audited(
        by,
        Action.SUBSCRIPTION_DELETED,
        queue=subscription.queue,
        subject=subscription.topic.name,
        reason=reason,
        filter=subscription.filter,
    ):
        topics.unsubscribe(subscription)


def filter_block(subscription: Subscription) -> str:
    return EVERYTHING if subscription.filter is None else shown.json_block(subscription.filter)


class NewSubscriptionForm(forms.ModelForm):
    class Meta:
        model = Subscription
        fields = TYPED
        help_texts = {"filter": 'As {"kind": ["order.placed", {"prefix": "refund."}]}. null: every message.'}


class TopicTeamFilter(TeamFilter):
    column = "topic__team_id"


@admin.register(Subscription)
class SubscriptionAdmin(ConsoleAdmin):
    form = NewSubscriptionForm
    change_form_template = "admin/queues/read_only.html"
    list_display = ("queue", "topic", "team", "wanted", "created_at")
    list_filter = (TopicTeamFilter, TopicFilter, QueueFilter, ("filter", admin.EmptyFieldListFilter))
    list_select_related = ("topic__team", "queue__team")
    search_fields = ("topic__name", "queue__name")
    search_help_text = "Part of the name of a topic or queue, or an id (sub_…)."
    id_prefix = "sub"
    ordering = ("-id",)
    autocomplete_fields = ("topic", "queue")
    actions = (end,)

    def get_fields(self, request: HttpRequest, obj: Subscription | None = None) -> tuple[str, ...]:
        return TYPED if obj is None else ("public_id", "topic", "queue", "team", "filter_text", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Subscription | None = None) -> tuple[str, ...]:
        return () if obj is None else self.get_fields(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Subscription, form: forms.ModelForm, change: bool
    ) -> None:
        wanted = form.cleaned_data["filter"]
        with audit.audited(
            person(request),
            Action.SUBSCRIPTION_CREATED,
            queue=obj.queue,
            subject=obj.topic.name,
            filter=wanted,
        ):
            made, is_new = topics.subscribe(obj.topic, obj.queue, wanted)
            if not is_new:
                raise Conflict("This queue is subscribed already.", field="queue_id")
        obj.pk = made.pk

    @admin.display(description="team", ordering="topic__team__name")
    def team(self, subscription: Subscription) -> str:
        return subscription.topic.team.name

    @admin.display(description="filter")
    def wanted(self, subscription: Subscription) -> str:
        if subscription.filter is None:
            return EVERYTHING
        return shown.cell(json.dumps(subscription.filter, ensure_ascii=False))

    @admin.display(description="filter")
    def filter_text(self, subscription: Subscription) -> str:
        return filter_block(subscription)
