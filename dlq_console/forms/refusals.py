"""What an operation refused, said on the form beside the field it is about."""

from collections.abc import Mapping

from django.forms import BaseForm

from queues.errors import InvalidMany, QueueError


def say(form: BaseForm, problem: QueueError, names: Mapping[str, str]) -> None:
    """Operations name fields as the API does; where the form has another name, `names` tells it."""
    for place, message in _problems(problem):
        own = names.get(place, place)
        if own not in form.fields:  # perhaps a place inside a field of JSON
            field, _, inner = place.partition(".")
            own, message = names.get(field, field), f"{inner}: {message}" if inner else message
        form.add_error(own if own in form.fields else None, message)


def _problems(problem: QueueError) -> list[tuple[str, str]]:
    if isinstance(problem, InvalidMany):
        return problem.problems
    return [(problem.field or "", problem.message)]
