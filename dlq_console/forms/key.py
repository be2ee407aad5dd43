"""A new API key: what it may do, where, and for how long."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from dlq_console.forms.fields import LengthField
from dlq_console.forms.refusals import say
from queues import limits
from queues.errors import QueueError
from queues.operations.self_service import KeyWish

# Operations name fields as they name a key's.
KEY_NAMES = {"name": "key_name", "expires_at": "expires_after"}
SCOPES = {"send": "Send messages", "receive": "Receive and finish messages", "manage": "Manage queues"}


class KeyFields(forms.Form):
    key_name = forms.CharField(label="Name of the key", strip=True)
    scopes = forms.MultipleChoiceField(
        label="It may",
        choices=[(scope, SCOPES[scope]) for scope in limits.SCOPES],
        initial=["send", "receive"],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    expires_after = LengthField(
        label="It works for", required=False, help_text="Such as 90 days. Empty: until it is revoked."
    )

    def clean_expires_after(self) -> Any:
        seconds = self.cleaned_data["expires_after"]
        try:
            return seconds if seconds is None else timezone.now() + timedelta(seconds=seconds)
        except OverflowError:
            raise forms.ValidationError("That is later than any date.") from None


class NewKeyForm(KeyFields):
    queue_pattern = forms.CharField(
        label="Queues",
        required=False,
        help_text="Only those whose name matches, such as orders or orders-*. Empty: all of the team.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ["key_name", "queue_pattern", "scopes", "expires_after"]

    def wish(self) -> KeyWish:
        given = self.cleaned_data
        return KeyWish(given["key_name"], given["scopes"], given["queue_pattern"], given["expires_after"])

    def refuse(self, problem: QueueError) -> None:
        say(self, problem, KEY_NAMES)
