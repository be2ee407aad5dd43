"""Before what cannot be undone: the name typed once more, and the reason."""

from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict

from queues import limits
from queues.models import Queue


def posted(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to: an empty POST is one too, a GET is none."""
    return request.POST if request.method == "POST" else None


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=limits.AUDIT_REASON_LENGTH,
        required=False,
        help_text="In a few words. It goes into the audit, with your name.",
        error_messages={"required": "Say why: the audit keeps it with your name."},
    )


class NameForm(ReasonForm):
    """For those who have the wrong tab open: the name has to be typed."""

    name = forms.CharField(
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"})
    )
    field_order = ["name", "reason"]

    def __init__(self, *args: Any, queue: Queue, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.queue = queue
        self.fields["name"].label = "Type the name of the queue to confirm"
        self.fields["reason"].required = True

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.queue.name:
            raise forms.ValidationError("This is not the name of the queue. Nothing was changed.")
        return self.queue.name


class DeleteForm(NameForm):
    with_dlq = forms.BooleanField(required=False)
