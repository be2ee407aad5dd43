"""Which entries of the audit a person wants to see."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from queues import limits
from queues.models import Action, Team

ACTOR_LENGTH = 150


def _moment(label: str) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(label=label, required=False, widget=widget)


class AuditForm(forms.Form):
    """Comes by GET: what is shown can be reloaded and sent to a colleague."""

    queue = forms.CharField(label="Queue", required=False, max_length=limits.QUEUE_NAME_LENGTH)
    action = forms.ChoiceField(label="Action", required=False)
    actor = forms.CharField(label="Who", required=False, max_length=ACTOR_LENGTH)
    team = forms.ChoiceField(label="Team", required=False)
    since = _moment("Since (UTC)")
    until = _moment("Until (UTC)")

    def __init__(self, *args: Any, teams: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [team.name for team in teams]
        actions = [(value, label.capitalize()) for value, label in Action.choices]
        self._offer("team", "All my teams", [(name, name) for name in names])
        self._offer("action", "Any", sorted(actions, key=lambda action: action[1]))
        if len(names) < 2:
            del self.fields["team"]

    def _offer(self, name: str, all_of_them: str, choices: list[tuple[str, str]]) -> None:
        field: Any = self.fields[name]
        field.choices = [("", all_of_them), *choices]

    @property
    def is_filled(self) -> bool:
        return any(self.data.get(name) for name in self.fields)
