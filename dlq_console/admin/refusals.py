"""What an operation refused, said on the form beside the field it is about."""

from typing import Any

from django.forms import ModelForm

from queues.errors import InvalidMany, QueueError

# Operations name fields as the API does.
FIELDS = {"dlq_id": "dlq", "queue_id": "queue", "queue_name": "name", "topic_name": "name"}


def refused_form(form: type[ModelForm], problem: QueueError) -> type[ModelForm]:
    """The same form, not valid for this reason: it comes back with what was typed."""

    class Refused(form):  # type: ignore[valid-type, misc]
        def clean(self) -> Any:
            cleaned = super().clean()
            for place, message in _problems(problem):
                field, _, inner = (place or "").partition(".")
                known = FIELDS.get(field, field)
                text = f"{inner}: {message}" if inner else message  # the place inside a field of JSON
                self.add_error(known if known in self.fields else None, text)
            return cleaned

    return Refused


def _problems(problem: QueueError) -> list[tuple[str | None, str]]:
    if isinstance(problem, InvalidMany):
        return [(field, message) for field, message in problem.problems]
    return [(problem.field, problem.message)]
