"""What an operation refused, said on the form beside the field it is about."""

from typing import Any

from django.forms import ModelForm

from dlq_console.forms.refusals import say
from queues.errors import QueueError

FIELDS = {"dlq_id": "dlq", "queue_id": "queue", "queue_name": "name", "topic_name": "name"}


def refused_form(form: type[ModelForm], problem: QueueError) -> type[ModelForm]:
    """The same form, not valid for this reason: it comes back with what was typed."""

    class Refused(form):  # type: ignore[valid-type, misc]
        def clean(self) -> Any:
            cleaned = super().clean()
            say(self, problem, FIELDS)
            return cleaned

    return Refused
