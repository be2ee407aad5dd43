"""API keys: issued here with the secret shown once, revoked by an action, never edited or deleted."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from dlq_console.access import person
from dlq_console.admin import shown
from dlq_console.admin.base import ConsoleAdmin
from dlq_console.admin.confirmed import confirmed
from dlq_console.admin.filters import TeamFilter
from queues.limits import SCOPES
from queues.models import Action, ApiKey
from queues.operations import audit, keys

SECRETS = ("secret_digest", "secret_encrypted")
TYPED = ("team", "name", "scopes", "queue_pattern", "expires_at")
KNOWN_LATER = ("access_key_id", "created_at", "last_used_at", "revoked_at")


@confirmed("Revoke", "Requests with these keys are refused from now on. A revoked key cannot be revived.")
def revoke(by: User, key: ApiKey, reason: str) -> None:
    with audit.audited(by, Action.KEY_REVOKED, team=key.team, subject=key.access_key_id, reason=reason):
        keys.revoke_api_key(key)


class NewKeyForm(forms.ModelForm):
    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in SCOPES], widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = ApiKey
        fields = TYPED
        help_texts = {
            "queue_pattern": "Only queues and topics whose name matches, for example orders-*. Empty: all.",
            "expires_at": "Empty: it works until it is revoked.",
        }


@admin.register(ApiKey)
class ApiKeyAdmin(ConsoleAdmin):
    form = NewKeyForm
    change_form_template = "admin/queues/read_only.html"
    list_display = ("label", "team", "access_key_id", "scope_names", "pattern", "state", "last_used_at")
    list_filter = (TeamFilter, ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("team",)
    search_fields = ("name", "access_key_id__startswith")
    search_help_text = "A name, or the beginning of an access key id."
    ordering = ("-id",)
    autocomplete_fields = ("team",)
    actions = (revoke,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return super().get_queryset(request).defer(*SECRETS)

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return (
            TYPED if obj is None else ("team", "label", "scope_names", "pattern", "expires_at", *KNOWN_LATER)
        )

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return () if obj is None else self.get_fields(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ApiKey, form: forms.ModelForm, change: bool) -> None:
        wanted = {field: form.cleaned_data[field] for field in TYPED if field != "team"}
        with audit.audited(
            person(request), Action.KEY_CREATED, team=obj.team, subject=obj.name, scopes=wanted["scopes"]
        ) as detail:
            issued = keys.create_api_key(obj.team, **wanted)
            detail["access_key_id"] = issued.access_key_id
        obj.pk = issued.key.pk
        request.issued_key = issued  # type: ignore[attr-defined]  # for the one page that shows it

    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: Any = None) -> HttpResponse:
        """The answer to the POST itself: a secret kept for a page after it would be kept somewhere."""
        context = {
            **self.admin_site.each_context(request),
            "title": "The key is issued",
            "opts": self.opts,
            "media": self.media,
            "issued": request.issued_key,  # type: ignore[attr-defined]
        }
        return TemplateResponse(request, "admin/queues/apikey/issued.html", context)

    @admin.display(description="name", ordering="name")
    def label(self, key: ApiKey) -> str:
        return shown.cell(key.name)

    @admin.display(description="scopes")
    def scope_names(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    @admin.display(description="queues and topics")
    def pattern(self, key: ApiKey) -> str:
        return shown.cell(key.queue_pattern or "all")

    @admin.display(ordering="revoked_at")
    def state(self, key: ApiKey) -> str:
        if key.revoked_at:
            return "revoked"
        return "expired" if key.expires_at and key.expires_at <= timezone.now() else "live"
