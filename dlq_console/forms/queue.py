"""A new queue, and the settings of one that is there."""

import copy
from collections.abc import Sequence
from typing import Any

from django import forms

from dlq_console.forms.key import KEY_NAMES, KeyFields
from dlq_console.forms.queue_settings import BACKOFF, NAMES, SettingsForm, initial_of
from dlq_console.presets import Preset
from queues import limits
from queues.errors import Invalid
from queues.models import Mode, Queue, Team
from queues.operations import dlq_creation, queue_settings
from queues.operations.self_service import KeyWish

ORDERS = {
    Mode.STANDARD: "By priority, then oldest first",
    Mode.FIFO: "First in, first out within a group",
}
PLAIN_TEXT = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}


class NewQueueForm(KeyFields, SettingsForm):
    team = forms.ChoiceField()
    name = forms.CharField(
        help_text="Letters, digits, hyphens and underscores. It cannot be changed later.",
        widget=forms.TextInput(attrs=PLAIN_TEXT),
    )
    preset = forms.CharField(required=False, widget=forms.HiddenInput)
    mode = forms.ChoiceField(label="Order of delivery")
    dlq_name = forms.CharField(
        label="Its dead-letter queue",
        required=False,
        widget=forms.TextInput(attrs=PLAIN_TEXT),
        help_text="Made with it. Empty: the name of the queue with -dlq at its end.",
    )
    with_key = forms.BooleanField(label="Make an API key for this queue", required=False)

    names = {**NAMES, **KEY_NAMES}

    def __init__(
        self, *args: Any, teams: Sequence[Team], preset: Preset | None = None, **kwargs: Any
    ) -> None:
        queue = Queue()
        if preset is not None:
            queue.mode = preset.mode
            queue_settings.apply(queue, dict(preset.settings))
            start = {**initial_of(queue_settings.readable(queue)), "preset": preset.code, "mode": preset.mode}
            kwargs["initial"] = {**start, **kwargs.get("initial", {})}
        super().__init__(*args, queue=queue, **kwargs)
        self.teams = {team.name: team for team in teams}
        self._offer("team", [(name, name) for name in self.teams])
        self._offer("mode", [(mode, ORDERS[mode]) for mode in queue_settings.modes()])
        self.fields["key_name"].required = False
        self.fields["key_name"].help_text = "Empty: the name of the queue."

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        """A choice between one thing is none: it is made already."""
        field: Any = self.fields[name]
        field.choices = choices
        if len(choices) == 1:
            field.initial = choices[0][0]
            field.widget = forms.HiddenInput()

    def clean_team(self) -> Team:
        return self.teams[self.cleaned_data["team"]]

    def clean_name(self) -> str:
        return self._verified_name("name")

    def clean_dlq_name(self) -> str:
        return self._verified_name("dlq_name") if self.cleaned_data["dlq_name"] else ""

    def _verified_name(self, field: str) -> str:
        try:
            return limits.verify_queue_name(self.cleaned_data[field])
        except Invalid as problem:
            raise forms.ValidationError(problem.message) from None

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        self.queue.name, self.queue.mode = given.get("name", ""), given.get("mode", Mode.STANDARD)
        if "team" in given:
            self.queue.team = given["team"]
        cleaned = super().clean()
        if self.queue.max_deliveries is not None and (self.queue.name or given.get("dlq_name")):
            self.queue.dlq = dlq_creation.planned_for(self.queue, given.get("dlq_name", ""))
        return cleaned

    def key_wish(self) -> KeyWish | None:
        """A key for this queue and no other."""
        given = self.cleaned_data
        if not given["with_key"]:
            return None
        name = given["name"]
        return KeyWish(given["key_name"] or name, given["scopes"], name, given["expires_after"])


class ChangeQueueForm(SettingsForm):
    """Only what is changed on the page is changed: each field carries what it showed when it was opened."""

    dlq = forms.ChoiceField(
        label="Dead-letter queue",
        required=False,
        help_text="Where dead messages go. One that was made for this queue stays when you choose another.",
    )
    reason = forms.CharField(required=False, help_text="Why, in a few words. It goes into the audit.")

    def __init__(self, *args: Any, queue: Queue, **kwargs: Any) -> None:
        dlq_id = queue.dlq.public_id if queue.dlq else ""
        initial = {**initial_of(queue_settings.readable(queue)), "dlq": dlq_id}
        super().__init__(*args, queue=copy.copy(queue), initial=initial, **kwargs)
        if queue.is_dlq:  # its messages never die
            del self.fields["max_deliveries"], self.fields["dlq"]
        else:
            self.dlqs = {dlq.public_id: dlq for dlq in _possible_dlqs(queue)}
            choose: Any = self.fields["dlq"]
            names = [(public_id, dlq.name) for public_id, dlq in self.dlqs.items()]
            choose.choices = [("", "Made when the first message dies"), *names]
        for name, field in self.fields.items():
            field.show_hidden_initial = name != "reason"

    def clean_dlq(self) -> Queue | None:
        return self.dlqs.get(self.cleaned_data["dlq"])

    def changes(self) -> dict[str, Any]:
        """What the person changed, under the names of the operations."""
        changed = set(self.changed_data)
        wanted = {"backoff"} if changed & set(BACKOFF.values()) else set()
        return {name: value for name, value in self.settings().items() if name in changed | wanted}


def _possible_dlqs(queue: Queue) -> list[Queue]:
    """Queues of the team that could take its dead letters."""
    live = Queue.objects.live().filter(team_id=queue.team_id, mode=queue.mode, dlq=None)
    return list(live.exclude(pk=queue.pk).order_by("name"))
