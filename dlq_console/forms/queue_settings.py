"""The settings of a queue as people type them. What they may be is asked of the operations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from dlq_console.forms.fields import LengthField, LinesField, NumberField, PauseField, SizeField, TagsField
from dlq_console.forms.refusals import say
from queues.errors import Invalid, QueueError
from queues.models import Queue
from queues.operations import backoff, queue_settings

BACKOFF = {part: f"backoff_{part}" for part in backoff.BOUNDS}
# Operations name fields as the API does.
NAMES = {
    "queue_name": "name",
    "dlq_id": "dlq",
    "backoff": BACKOFF["base_seconds"],
    **{f"backoff.{part}": name for part, name in BACKOFF.items()},
}
FOLDED = "More"  # what few people need
GROUPS = {
    "Delivery": ("visibility_timeout", "max_deliveries", "dlq", "delay_seconds", "receive_wait_seconds"),
    "Pauses between deliveries": tuple(BACKOFF.values()),
    "Bounds": ("queue_size", "retention_seconds", "max_message_bytes", "target_age_seconds"),
    FOLDED: ("priority_aging_seconds", "tags", "allow_edit"),
}


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    fields: list[forms.BoundField]

    @property
    def is_folded(self) -> bool:
        return self.title == FOLDED

    @property
    def says_something(self) -> bool:
        return any(field.errors or field.value() for field in self.fields)


def typed(mode: str = "numeric", **attributes: str) -> forms.TextInput:
    return forms.TextInput(attrs={"inputmode": mode, "autocomplete": "off", **attributes})


def initial_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the fields show for these settings."""
    pauses = settings.get("backoff") or {}
    return {**settings, **{name: pauses.get(part) for part, name in BACKOFF.items()}}


class SettingsForm(forms.Form):
    description = LinesField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What it is for, and whom to ask about it.",
    )
    visibility_timeout = LengthField(
        label="Time to finish a message",
        help_text="A message that its consumer has not finished by then is delivered again.",
    )
    max_deliveries = forms.IntegerField(
        label="Deliveries before a message is dead",
        widget=typed(),
        help_text="Empty: it is delivered again until it expires.",
    )
    delay_seconds = LengthField(
        label="Delay of new messages", help_text="How long a message waits before its first delivery."
    )
    receive_wait_seconds = LengthField(
        label="Long poll", help_text="How long a receive waits for a message, unless it says itself."
    )
    backoff_base_seconds = PauseField(label="First pause", required=False, help_text="Empty: no pause.")
    backoff_factor = NumberField(
        label="Growth",
        required=False,
        widget=typed("decimal", placeholder=f"{backoff.DEFAULTS['factor']:g}"),
        help_text="Each pause is so many times the one before.",
    )
    backoff_max_seconds = PauseField(label="Longest pause", required=False)
    backoff_jitter = NumberField(
        label="Jitter",
        required=False,
        widget=typed("decimal", placeholder=f"{backoff.DEFAULTS['jitter']:g}"),
        help_text="The share by which pauses differ at random: 0.2 is 20\N{NO-BREAK SPACE}%.",
    )
    queue_size = forms.IntegerField(
        label="Messages it may hold",
        widget=typed(),
        help_text="Further ones are refused. Empty: any number.",
    )
    retention_seconds = LengthField(
        label="Messages are kept for",
        help_text="Such as 4 days. What nobody has finished by then is removed.",
    )
    max_message_bytes = SizeField(label="Largest message", help_text="Such as 256 KiB.")
    target_age_seconds = LengthField(
        label="Longest wait intended",
        help_text="Your own promise: the overview says when a message waits longer. Empty: none.",
    )
    priority_aging_seconds = LengthField(
        label="Ageing of priorities",
        help_text="Waiting so long is worth one step of priority. Empty: the highest always comes first.",
    )
    allow_edit = forms.BooleanField(
        label="Dead letters may be edited and sent again",
        required=False,
        help_text="By operators and owners, here in the console; the original and the difference are kept.",
    )
    tags = TagsField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false"}),
        help_text="One on each line, as key: value.",
    )

    names: Mapping[str, str] = NAMES

    def __init__(self, *args: Any, queue: Queue, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.queue = queue  # carries what is typed as soon as it is read; it is never saved
        for name in queue_settings.RANGES:
            self.fields[name].required = name not in queue_settings.NULLABLE

    def groups(self) -> list[Group]:
        """The fields in the order of the page, under their headings."""
        return [
            Group(title, [self[name] for name in names if name in self.fields])
            for title, names in GROUPS.items()
        ]

    def clean(self) -> dict[str, Any]:
        try:
            queue_settings.apply(self.queue, self.settings())
        except Invalid as problem:
            self.refuse(problem)
        return self.cleaned_data

    def settings(self) -> dict[str, Any]:
        """Whatever could be read, under the names of the operations."""
        given = self.cleaned_data
        plain = queue_settings.CHANGEABLE - {"backoff"}
        found = {name: given[name] for name in self.fields if name in plain and name in given}
        if all(name in given for name in BACKOFF.values()):
            parts = {part: given[name] for part, name in BACKOFF.items() if given[name] is not None}
            found["backoff"] = parts or None
        return found

    def refuse(self, problem: QueueError) -> None:
        """Say beside the field what an operation had against it."""
        say(self, problem, self.names)
