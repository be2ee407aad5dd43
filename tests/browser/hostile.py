"""A team whose every text is an attack: what a page shows of it must be text and nothing else."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from html.parser import HTMLParser

from django.contrib.auth.models import User
from django.utils import timezone

from queues.models import Action, Message, Queue, Team
from queues.operations import error_groups, look, nack, queues, trash
from queues.operations.audit import audited
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage

SCRIPT = "<script>alert('script ran')</script>"
IMAGE = '"><img src=x onerror="alert(\'handler ran\')">'
TEMPLATE = "{{ 7|add:7 }}{% debug %}${alert(1)}"
BIDI = "invoice\u202egpj.exe\u2066\u200b"
ENTITY = "&lt;b&gt;&#x3c;i>"
BROKEN = '{"half": "\\ud800", "nul": "\\u0000", "__proto__": {"a": 1}}'
LONG_LINE = "A" * 1_000_000
ALL = SCRIPT + IMAGE + TEMPLATE + BIDI + ENTITY

BODIES = (ALL, BROKEN, LONG_LINE, json.dumps({ALL: [ALL, {"password": SCRIPT, ALL: None}]}), "[" * 5_000)


@dataclass(frozen=True)
class HostileWorld:
    queue: Queue
    dlq: Queue
    letters: list[Message]
    fingerprint: str

    @property
    def search(self) -> str:
        return f'{SCRIPT} data.{IMAGE}:1 "{TEMPLATE}'


def world(team: Team, user: User) -> HostileWorld:
    settings = {"max_message_bytes": 1_048_576, "max_deliveries": 1, "allow_edit": True}
    queue, _ = queues.create(
        team, name="orders", description=ALL, tags={ALL[:100]: ALL[:200], "plain": IMAGE}, **settings
    )
    for body in BODIES:
        _die(queue, body)
    send(queue, NewMessage(BODIES[0], {ALL[:200]: ALL}, group_id=ALL[:128]), timezone.now())
    dlq = queues.find(team, queue.public_id).dlq
    assert dlq is not None
    queues.update(dlq, description=ALL, tags={"plain": SCRIPT})
    letters = list(look.browse(dlq).order_by("id"))
    fingerprint = error_groups.groups(dlq)[0].fingerprint
    error_groups.set_note(dlq, fingerprint, ALL, by=user.get_username())
    with audited(user, Action.MESSAGE_DISCARDED, queue=dlq, subject=IMAGE, reason=SCRIPT, **{ALL: ALL}):
        trash.discard(dlq, [letters[0].public_id], by=user.get_username(), reason=SCRIPT)
    return HostileWorld(queue, queues.find(team, dlq.public_id), letters[1:], fingerprint)


def _die(queue: Queue, body: str) -> None:
    sent = timezone.now() - timedelta(minutes=1)
    send(queue, NewMessage(body, {ALL[:200]: ALL, "tenant": SCRIPT}, group_id=ALL[:128]), sent)
    [delivery] = receive(queue, now=sent)
    error = {"type": ALL[:200], "message": ALL, "stack": f'File "{IMAGE}", line 1, in {SCRIPT}\n{ALL}'}
    nack.nack(queue, delivery.message_id, delivery.receipt_handle, error=error)


class _Inline(HTMLParser):
    """Collects what a page may not contain: scripts and styles of its own, and handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or (tag == "script" and not given.get("src")):
            self.found.append(f"<{tag}> at {self.getpos()}")
        self.found += [
            f"{tag} {name} at {self.getpos()}" for name in given if name == "style" or name[:2] == "on"
        ]
        self.found += [
            f"{tag} {name}" for name, value in attrs if (value or "").lower().startswith("javascript:")
        ]


def inline_content(html: str) -> Iterator[str]:
    parser = _Inline()
    parser.feed(html)
    yield from parser.found
