"""Taking advice: what the person saw comes along, so that nothing else is applied."""

from django import forms

from queues.operations.advice import SETTINGS


class ApplyForm(forms.Form):
    kind = forms.ChoiceField(choices=[(kind.value, kind.label) for kind in SETTINGS])
    seen = forms.IntegerField(required=False)  # none: the setting was unset
    suggested = forms.IntegerField()
