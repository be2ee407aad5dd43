"""Members of a team and their roles."""

from django import forms

from dlq_console.forms.refusals import say
from queues.errors import QueueError
from queues.models import Role

ROLES = {
    Role.VIEWER: "Viewer: may look",
    Role.OPERATOR: "Operator: deals with messages, queues and keys",
    Role.OWNER: "Owner: may do everything, and manages members",
}


class MemberForm(forms.Form):
    username = forms.CharField(
        label="Username",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}),
        help_text="They need an account: an administrator of this installation creates those.",
    )
    role = forms.ChoiceField(choices=[(role.value, words) for role, words in ROLES.items()])

    def refuse(self, problem: QueueError) -> None:
        say(self, problem, {})
