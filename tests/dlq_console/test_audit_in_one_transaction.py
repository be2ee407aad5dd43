"""Whatever a person does in the console and the row that says so are one commit: both are there, or neither.

The database itself refuses the row, once as it is written and once, all else being done, at the commit.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import reverse

from queues.models import Action, AuditEntry, Role
from queues.operations import queues, redrive, redrive_run
from queues.operations.keys import create_api_key
from tests.dlq_console.conftest import browser_of, new_person
from tests.dlq_console.form_filling import submit
from tests.dlq_console.pages import ACCOUNTS, CONSOLE, patterns
from tests.metrics_factories import advice_for
from tests.queues.dying import Morgue

pytestmark = pytest.mark.django_db(transaction=True)

REFUSAL = "the audit is closed"
TRIGGERS = {
    "as the row is written": "CREATE TRIGGER closed BEFORE INSERT ON audit_entry",
    "at the commit": """CREATE CONSTRAINT TRIGGER closed AFTER INSERT ON audit_entry
                        DEFERRABLE INITIALLY DEFERRED""",
}
# Deeds that change nothing but who has seen what.
LOOKS = (Action.MESSAGES_EXPORTED, Action.MESSAGE_REVEALED)
# Addresses that take a POST and change nothing that the audit is about.
OTHERS = {"login", "logout", "password_change", "queue-new-preview", "queue-settings-preview"}


class Console(Morgue):
    """Dead letters, and the owner of their team in a browser."""

    def __init__(self) -> None:
        super().__init__()
        self.user: User = new_person("olga", self.source.team, Role.OWNER)
        self.client: Client = browser_of(self.user)

    def post(self, name: str, /, *named: Any, **form: Any) -> Any:
        """To the address of a thing: of a message in the dead-letter queue, if nothing else is said."""
        answer = self.client.post(self.address(name, *named), form)
        return b"".join(answer.streaming_content) if answer.streaming else answer

    def address(self, name: str, *named: Any) -> str:
        known = {"queue_id": self.dlq.public_id, "team_name": self.source.team.name}
        wanted = [
            key for pattern in patterns(CONSOLE) if pattern.name == name for key in pattern.pattern.converters
        ]
        rest = iter(named)
        return reverse(f"console:{name}", args=[known[key] if key in known else next(rest) for key in wanted])


def plan(at: Console) -> str:
    page = at.client.get(at.address("redrive-plan")).content.decode()
    [found] = re.findall(r'name="plan" value="([^"]+)"', page)
    return found


def a_redrive(at: Console, moves: int) -> str:
    task = redrive.start(at.dlq, requested_by="olga")
    if moves:
        redrive_run.advance(task.pk, moves)
    return task.public_id


def a_member(at: Console) -> int:
    return new_person("vera", at.source.team).memberships.get().pk


class Deed(NamedTuple):
    """The name of an address, what the audit calls it, how it is done, and what has to be there before."""

    name: str
    action: Action
    do: Callable[[Console, Any], Any]
    prepare: Callable[[Console], Any] = lambda at: None


DEEDS = [
    Deed("requeue", Action.MESSAGE_REQUEUED, lambda at, _: at.post("requeue", at.broken.public_id)),
    Deed("undo-requeue", Action.REQUEUE_UNDONE, lambda at, _: at.post("undo-requeue", at.requeued)),
    Deed("bulk", Action.REDRIVE_STARTED, lambda at, _: at.post("bulk", do="requeue", message_id=at.letters)),
    Deed(
        "bulk", Action.MESSAGE_DISCARDED, lambda at, _: at.post("bulk", do="discard", message_id=at.letters)
    ),
    Deed("discard", Action.MESSAGE_DISCARDED, lambda at, _: at.post("discard", at.broken.public_id)),
    Deed("trash-reveal", Action.MESSAGE_REVEALED, lambda at, _: at.post("trash-reveal", at.discarded)),
    Deed("restore", Action.MESSAGE_RESTORED, lambda at, _: at.post("restore", message_id=at.discarded)),
    Deed("edit", Action.MESSAGE_EDITED, lambda at, _: at.post("edit", at.broken.public_id, data='{"a": 1}')),
    Deed(
        "group-note",
        Action.GROUP_NOTED,
        lambda at, _: at.post("group-note", fingerprint=at.broken.fingerprint, note="call Bob"),
    ),
    Deed("export", Action.MESSAGES_EXPORTED, lambda at, _: at.post("export", format="csv")),
    Deed(
        "message-reveal",
        Action.MESSAGE_REVEALED,
        lambda at, _: at.post("message-reveal", at.broken.public_id),
    ),
    Deed(
        "redrive-start",
        Action.REDRIVE_STARTED,
        lambda at, sealed: at.post("redrive-start", plan=sealed, reason="mended"),
        plan,
    ),
    Deed(
        "redrive-cancel",
        Action.REDRIVE_CANCELLED,
        lambda at, task: at.post("redrive-cancel", task),
        lambda at: a_redrive(at, moves=1),
    ),
    Deed(
        "redrive-undo",
        Action.REDRIVE_UNDONE,
        lambda at, task: at.post("redrive-undo", task),
        lambda at: a_redrive(at, moves=3),
    ),
    Deed(
        "queue-new",
        Action.QUEUE_CREATED,
        lambda at, _: submit(at.client, at.address("queue-new"), name="invoices"),
    ),
    Deed(
        "queue-settings",
        Action.QUEUE_CHANGED,
        lambda at, _: submit(at.client, at.address("queue-settings"), visibility_timeout="5 min"),
    ),
    Deed(
        "advice-apply",
        Action.QUEUE_CHANGED,
        lambda at, _: at.post("advice-apply", kind="visibility_timeout", seen="10", suggested="20"),
        lambda at: advice_for(at.dlq),
    ),
    Deed("queue-pause", Action.QUEUE_PAUSED, lambda at, _: at.post("queue-pause")),
    Deed(
        "queue-resume",
        Action.QUEUE_RESUMED,
        lambda at, _: at.post("queue-resume"),
        lambda at: queues.pause(at.dlq),
    ),
    Deed(
        "queue-purge",
        Action.QUEUE_PURGED,
        lambda at, _: at.post("queue-purge", name=at.dlq.name, reason="no use"),
    ),
    Deed(
        "queue-delete",
        Action.QUEUE_DELETED,
        lambda at, _: at.post("queue-delete", name=at.dlq.name, reason="no use"),
    ),
    Deed("key-new", Action.KEY_CREATED, lambda at, _: at.post("key-new", key_name="new", scopes=["send"])),
    Deed(
        "key-revoke",
        Action.KEY_REVOKED,
        lambda at, key: at.post("key-revoke", key.access_key_id),
        lambda at: create_api_key(at.source.team, "old", ["send"]),
    ),
    Deed(
        "member-add",
        Action.MEMBER_ADDED,
        lambda at, _: at.post("member-add", username="vera", role=Role.VIEWER),
        lambda at: new_person("vera"),
    ),
    Deed(
        "member-role",
        Action.MEMBER_CHANGED,
        lambda at, member: at.post("member-role", member, role=Role.OPERATOR),
        a_member,
    ),
    Deed(
        "member-remove", Action.MEMBER_REMOVED, lambda at, member: at.post("member-remove", member), a_member
    ),
]


@pytest.fixture
def console() -> Console:
    return Console()


@pytest.fixture
def closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """No row comes into the audit."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$;
                {TRIGGERS[request.param]} FOR EACH ROW EXECUTE FUNCTION refuse()"""
        )
        yield
        cursor.execute("DROP FUNCTION IF EXISTS refuse() CASCADE")


def reopen() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION refuse() CASCADE")


def everything() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of ours."""
    models = apps.get_app_config("queues").get_models()
    return {model.__name__: sorted(model._default_manager.values(), key=str) for model in models}


def changed_since(before: dict[str, list[dict[str, Any]]]) -> set[str]:
    after = everything()
    return {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize("closed", TRIGGERS, indirect=True)
@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: f"{deed.name} {deed.action}")
def test_a_deed_and_its_row_are_both_there_or_neither(console: Console, deed: Deed, closed: None):
    needed = deed.prepare(console)
    before = everything()
    with pytest.raises(DatabaseError, match=REFUSAL):
        deed.do(console, needed)
    assert everything() == before
    reopen()
    deed.do(console, needed)
    assert (changed_since(before) == {"AuditEntry"}) is (deed.action in LOOKS)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.team) == (deed.action, "olga", console.source.team)


def test_every_address_that_takes_a_post_is_among_them(console: Console):
    """A new one fails here until it has a line above."""
    known = {"queue_id": console.dlq.public_id, "team_name": console.source.team.name}
    taking = set()
    for urlconf, space in ((ACCOUNTS, ""), (CONSOLE, "console:")):
        for pattern in patterns(urlconf):
            client = browser_of(console.user)  # whatever the others have done, signing out for one
            given = {key: known.get(key, "1") for key in pattern.pattern.converters}
            if client.post(reverse(f"{space}{pattern.name}", kwargs=given)).status_code != 405:
                taking.add(pattern.name)
    assert taking - OTHERS == {deed.name for deed in DEEDS}
