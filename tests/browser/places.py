"""Every page of the console, with something on it: what the tests of all pages visit."""

from urllib.parse import urlencode

from django.urls import reverse

from queues.models import Message, Queue, RedriveTask, Team
from queues.operations.trash import trash_of


def places(
    team: Team, queue: Queue, dlq: Queue, letters: list[Message], task: RedriveTask, search: str
) -> dict[str, str]:
    """Addresses by the names of their URLs; `search` is typed wherever something can be searched for."""
    one, other = letters[0].public_id, letters[-1].public_id
    return {
        "overview": _at("overview", name=search[:20]),
        "queue": _at("queue", queue.public_id),
        "browse": _at("browse", queue.public_id),
        "dlq": _at("dlq", dlq.public_id),
        "dead-letters": _at("dead-letters", dlq.public_id),
        "dead-letters, searched": _at("dead-letters", dlq.public_id, q=search),
        "message": _at("message", dlq.public_id, one),
        "message, another": _at("message", dlq.public_id, other),
        "message-diff": _at("message-diff", dlq.public_id, a=one, b=other),
        "edit": _at("edit", dlq.public_id, one),
        "redrives": _at("redrives", dlq.public_id),
        "redrive": _at("redrive", dlq.public_id, task.public_id),
        "redrive-new": _at("redrive-new", dlq.public_id, q=search),
        "redrive-plan": _at("redrive-plan", dlq.public_id, max_redrive_count=3),
        "trash": _at("trash", dlq.public_id),
        "trash, empty": _at("trash", queue.public_id),
        "trash-message": _at("trash-message", dlq.public_id, trash_of(dlq)[0].public_id),
        "audit": _at("audit"),
        "audit, searched": _at("audit", queue=search, actor=search),
        "search": _at("search", q="order"),
        "search, by qualifiers": _at("search", q=search),
        "search, of a message that is gone": _at("search", q="msg_0000000000000000000000"),
        "queue-new": _at("queue-new", preset="webhook"),
        "queue-connect": _at("queue-connect", queue.public_id),
        "queue-settings": _at("queue-settings", queue.public_id),
        "queue-settings, of dead letters": _at("queue-settings", dlq.public_id),
        "queue-purge": _at("queue-purge", queue.public_id),
        "queue-delete": _at("queue-delete", queue.public_id),
        "teams": _at("teams"),
        "team": _at("team", team.name),
        "team-keys": _at("team-keys", team.name),
        "key-new": _at("key-new", team.name),
        "member-remove": _at("member-remove", team.name, str(team.memberships.earliest("id").pk)),
    }


def _at(place: str, *args: str, **query: object) -> str:
    address = reverse(f"console:{place}", args=args)
    return f"{address}?{urlencode(query)}" if query else address
