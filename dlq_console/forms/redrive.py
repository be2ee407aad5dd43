"""What a person says about a redrive: first its scope, then, with the plan in view, the reason."""

from typing import Any

from django import forms

from dlq_console.forms.fields import WholeField
from dlq_console.redrive_scope import LADDER, Scope
from queues import limits
from queues.models import Queue
from queues.operations import canary as ladder
from queues.operations import search

PERCENT = (0, 100)


class ScopeForm(forms.Form):
    """Comes by GET: a plan is an address that can be reloaded and sent to a colleague."""

    q = forms.CharField(
        label="Which dead letters",
        required=False,
        max_length=limits.SEARCH_LENGTH,
        help_text="The search of the dead-letter page. Empty means all of them.",
    )
    target = forms.ChoiceField(label="Where to", required=False)
    rate = WholeField(
        label="At most so many a second",
        bounds=limits.REDRIVE_RATE,
        help_text="Empty means as fast as the queue takes them.",
    )
    limit = WholeField(
        label="Move at most so many",
        bounds=limits.REDRIVE_LIMIT,
        help_text="The oldest first. Empty means all that match.",
    )
    canary = forms.BooleanField(
        label="Carefully: 1 message, then 10, then all the others",
        required=False,
        initial=True,
        help_text="After each step it waits for what becomes of them, and stops by itself if they come back.",
    )
    return_percent = WholeField(
        label="Stop when more than so many percent come back",
        initial=round(ladder.DEFAULTS["max_return_ratio"] * 100),
        bounds=PERCENT,
    )
    watch_seconds = WholeField(
        label="Watch each step for at most so many seconds",
        initial=ladder.DEFAULTS["watch_seconds"],
        bounds=limits.CANARY_WATCH_SECONDS,
    )
    often = forms.BooleanField(
        label=f"Include messages redriven {limits.MOST_REDRIVES} times or more",
        required=False,
        help_text="They came back dead every time, and are left out unless asked for.",
    )

    def __init__(self, *args: Any, dlq: Queue, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.targets = {queue.public_id: queue for queue in _targets(dlq)}
        names = [(public_id, queue.name) for public_id, queue in self.targets.items()]
        choose: Any = self.fields["target"]
        choose.choices = [("", "Each message to the queue it died in"), *names]

    def clean_q(self) -> search.Search:
        found = search.parse(self.cleaned_data["q"])
        if found.problems:
            raise forms.ValidationError(found.problems)
        return found

    def scope(self) -> Scope:
        """What the plan is for. Ages in the search are times from here on: `age:>1h` does not grow."""
        given = self.cleaned_data
        kept = dict(given["q"].filter)
        if given["often"]:
            kept.setdefault("max_redrive_count", limits.REDRIVE_COUNT[1])
        return Scope(
            text=given["q"].text,
            filter=kept,
            target=self.targets.get(given["target"]),
            limit=given["limit"],
            rate=given["rate"],
            canary=self._canary() if given["canary"] else None,
        )

    def _canary(self) -> dict[str, Any]:
        percent, seconds = self.cleaned_data["return_percent"], self.cleaned_data["watch_seconds"]
        rules: dict[str, Any] = {"steps": list(LADDER)}
        if percent is not None:
            rules["max_return_ratio"] = percent / 100
        if seconds is not None:
            rules["watch_seconds"] = seconds
        return ladder.verified(rules)


class ConfirmForm(forms.Form):
    plan = forms.CharField(widget=forms.HiddenInput)
    reason = forms.CharField(
        label="Reason",
        max_length=limits.AUDIT_REASON_LENGTH,
        help_text="What was mended, in a few words. It goes into the audit.",
        error_messages={"required": "Say why: the audit keeps it with your name."},
    )


def _targets(dlq: Queue) -> list[Queue]:
    """Queues of the team that could take them: of the same mode, and none that is for dead letters."""
    live = Queue.objects.live().filter(team_id=dlq.team_id, mode=dlq.mode, is_dlq=False)
    return list(live.exclude(pk=dlq.pk).order_by("name"))
