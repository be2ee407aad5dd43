"""What a form would make, in plain words, while it is being typed."""

from dataclasses import dataclass

from dlq_console.forms.queue_settings import SettingsForm
from dlq_console.plain_words import sentences
from queues.models import Queue

# Said when the form is sent: until then they are merely not typed yet.
NOT_YET = {"name", "key_name", "scopes", "expires_after", "team"}


@dataclass(frozen=True, slots=True)
class Preview:
    queue: Queue
    sentences: list[str]
    dlq: Queue | None
    dlq_sentences: list[str]
    problems: list[tuple[str, str]]  # the label of a field, and what is wrong with it


def preview_of(form: SettingsForm) -> Preview:
    """Of what could be read; the rest has the value it had before."""
    problems = [
        (str(form[name].label), str(message))
        for name, found in form.errors.items()
        if name in form.fields and name not in NOT_YET
        for message in found
    ]
    queue, dlq = form.queue, form.queue.dlq
    return Preview(queue, sentences(queue), dlq, sentences(dlq) if dlq else [], problems)
